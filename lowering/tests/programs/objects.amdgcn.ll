; ModuleID = 'objects.cl'
source_filename = "objects.cl"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

%struct.Pair = type { i32, i32 }

@table = addrspace(4) constant [3 x i32] [i32 1, i32 2, i32 3], align 4
@counter = addrspace(1) global i32 7, align 4
@helper.calls = internal addrspace(1) global i64 5, align 8
@k.shared = internal addrspace(3) global [16 x float] undef, align 4
@__const.k.own = private unnamed_addr addrspace(4) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4
@.str = private unnamed_addr addrspace(4) constant [5 x i8] c"text\00", align 1
@__oclc_ABI_version = weak_odr hidden local_unnamed_addr addrspace(4) constant i32 500

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local [2 x i32] @make(i32 noundef %first) #0 {
entry:
  %retval = alloca %struct.Pair, align 4, addrspace(5)
  %first.addr = alloca i32, align 4, addrspace(5)
  store i32 %first, ptr addrspace(5) %first.addr, align 4
  %first1 = getelementptr inbounds %struct.Pair, ptr addrspace(5) %retval, i32 0, i32 0
  %0 = load i32, ptr addrspace(5) %first.addr, align 4
  store i32 %0, ptr addrspace(5) %first1, align 4
  %second = getelementptr inbounds %struct.Pair, ptr addrspace(5) %retval, i32 0, i32 1
  store i32 2, ptr addrspace(5) %second, align 4
  %1 = load [2 x i32], ptr addrspace(5) %retval, align 4
  ret [2 x i32] %1
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local i32 @helper(i32 noundef %n, ptr addrspace(1) noundef %p) #0 {
entry:
  %n.addr = alloca i32, align 4, addrspace(5)
  %p.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %sum = alloca i32, align 4, addrspace(5)
  store i32 %n, ptr addrspace(5) %n.addr, align 4
  store ptr addrspace(1) %p, ptr addrspace(5) %p.addr, align 8
  %0 = load i32, ptr addrspace(5) %n.addr, align 4
  %1 = load ptr addrspace(1), ptr addrspace(5) %p.addr, align 8
  %arrayidx = getelementptr inbounds i32, ptr addrspace(1) %1, i64 0
  %2 = load i32, ptr addrspace(1) %arrayidx, align 4
  %add = add nsw i32 %0, %2
  store i32 %add, ptr addrspace(5) %sum, align 4
  %3 = load i32, ptr addrspace(5) %sum, align 4
  %conv = sext i32 %3 to i64
  %4 = load i64, ptr addrspace(1) @helper.calls, align 8
  %add1 = add nsw i64 %4, %conv
  store i64 %add1, ptr addrspace(1) @helper.calls, align 8
  %5 = load i32, ptr addrspace(5) %sum, align 4
  %6 = load i64, ptr addrspace(1) @helper.calls, align 8
  %conv2 = trunc i64 %6 to i32
  %add3 = add nsw i32 %5, %conv2
  ret i32 %add3
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 %out, ptr addrspace(3) noundef align 4 %scratch, ptr addrspace(4) noundef align 4 %in, %struct.Pair %pair.coerce) #1 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %pair = alloca %struct.Pair, align 4, addrspace(5)
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %scratch.addr = alloca ptr addrspace(3), align 4, addrspace(5)
  %in.addr = alloca ptr addrspace(4), align 8, addrspace(5)
  %own = alloca [4 x i32], align 4, addrspace(5)
  %vector = alloca <4 x float>, align 16, addrspace(5)
  %wide = alloca i32, align 64, addrspace(5)
  %text = alloca ptr addrspace(4), align 8, addrspace(5)
  %literal = alloca ptr, align 8, addrspace(5)
  %.compoundliteral = alloca [3 x i32], align 4, addrspace(5)
  %coerce = alloca %struct.Pair, align 4, addrspace(5)
  %0 = getelementptr inbounds %struct.Pair, ptr addrspace(5) %pair, i32 0, i32 0
  %1 = extractvalue %struct.Pair %pair.coerce, 0
  store i32 %1, ptr addrspace(5) %0, align 4
  %2 = getelementptr inbounds %struct.Pair, ptr addrspace(5) %pair, i32 0, i32 1
  %3 = extractvalue %struct.Pair %pair.coerce, 1
  store i32 %3, ptr addrspace(5) %2, align 4
  store ptr addrspace(1) %out, ptr addrspace(5) %out.addr, align 8
  store ptr addrspace(3) %scratch, ptr addrspace(5) %scratch.addr, align 4
  store ptr addrspace(4) %in, ptr addrspace(5) %in.addr, align 8
  call void @llvm.memcpy.p5.p4.i64(ptr addrspace(5) align 4 %own, ptr addrspace(4) align 4 @__const.k.own, i64 16, i1 false)
  store <4 x float> <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>, ptr addrspace(5) %vector, align 16
  store i32 3, ptr addrspace(5) %wide, align 64
  store ptr addrspace(4) @.str, ptr addrspace(5) %text, align 8
  store i32 4, ptr addrspace(5) %.compoundliteral, align 4
  %arrayinit.element = getelementptr inbounds i32, ptr addrspace(5) %.compoundliteral, i64 1
  store i32 5, ptr addrspace(5) %arrayinit.element, align 4
  %arrayinit.element1 = getelementptr inbounds i32, ptr addrspace(5) %.compoundliteral, i64 2
  store i32 6, ptr addrspace(5) %arrayinit.element1, align 4
  %arraydecay = getelementptr inbounds [3 x i32], ptr addrspace(5) %.compoundliteral, i64 0, i64 0
  %arraydecay.ascast = addrspacecast ptr addrspace(5) %arraydecay to ptr
  store ptr %arraydecay.ascast, ptr addrspace(5) %literal, align 8
  %4 = load <4 x float>, ptr addrspace(5) %vector, align 16
  %5 = extractelement <4 x float> %4, i64 0
  %6 = load ptr addrspace(4), ptr addrspace(5) %text, align 8
  %arrayidx = getelementptr inbounds i8, ptr addrspace(4) %6, i64 1
  %7 = load i8, ptr addrspace(4) %arrayidx, align 1
  %conv = sext i8 %7 to i32
  %conv2 = sitofp i32 %conv to float
  %add = fadd float %5, %conv2
  store float %add, ptr addrspace(3) @k.shared, align 4
  %arrayidx3 = getelementptr inbounds [4 x i32], ptr addrspace(5) %own, i64 0, i64 1
  %8 = load i32, ptr addrspace(5) %arrayidx3, align 4
  %9 = load ptr addrspace(1), ptr addrspace(5) %out.addr, align 8
  %call = call i32 @helper(i32 noundef %8, ptr addrspace(1) noundef %9) #3
  %10 = load i32, ptr addrspace(5) %wide, align 64
  %add4 = add nsw i32 %call, %10
  %11 = load ptr, ptr addrspace(5) %literal, align 8
  %arrayidx5 = getelementptr inbounds i32, ptr %11, i64 2
  %12 = load i32, ptr %arrayidx5, align 4
  %add6 = add nsw i32 %add4, %12
  %13 = load ptr addrspace(3), ptr addrspace(5) %scratch.addr, align 4
  %arrayidx7 = getelementptr inbounds i32, ptr addrspace(3) %13, i64 0
  store i32 %add6, ptr addrspace(3) %arrayidx7, align 4
  %14 = load ptr addrspace(4), ptr addrspace(5) %in.addr, align 8
  %arrayidx8 = getelementptr inbounds i32, ptr addrspace(4) %14, i64 0
  %15 = load i32, ptr addrspace(4) %arrayidx8, align 4
  %16 = load i32, ptr addrspace(4) getelementptr inbounds ([3 x i32], ptr addrspace(4) @table, i64 0, i64 1), align 4
  %add9 = add nsw i32 %15, %16
  %17 = load i32, ptr addrspace(1) @counter, align 4
  %add10 = add nsw i32 %add9, %17
  %call11 = call [2 x i32] @make(i32 noundef 3) #3
  store [2 x i32] %call11, ptr addrspace(5) %coerce, align 4
  %second = getelementptr inbounds %struct.Pair, ptr addrspace(5) %coerce, i32 0, i32 1
  %18 = load i32, ptr addrspace(5) %second, align 4
  %add12 = add nsw i32 %add10, %18
  %first = getelementptr inbounds %struct.Pair, ptr addrspace(5) %pair, i32 0, i32 0
  %19 = load i32, ptr addrspace(5) %first, align 4
  %add13 = add nsw i32 %add12, %19
  %20 = load float, ptr addrspace(3) @k.shared, align 4
  %conv14 = fptosi float %20 to i32
  %add15 = add nsw i32 %add13, %conv14
  %21 = load ptr addrspace(1), ptr addrspace(5) %out.addr, align 8
  %arrayidx16 = getelementptr inbounds i32, ptr addrspace(1) %21, i64 0
  store i32 %add15, ptr addrspace(1) %arrayidx16, align 4
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p5.p4.i64(ptr addrspace(5) noalias nocapture writeonly, ptr addrspace(4) noalias nocapture readonly, i64, i1 immarg) #2

attributes #0 = { convergent noinline norecurse nounwind optnone "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1100" "target-features"="+16-bit-insts,+atomic-fadd-rtn-insts,+ci-insts,+dl-insts,+dot10-insts,+dot5-insts,+dot7-insts,+dot8-insts,+dot9-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx11-insts,+gfx8-insts,+gfx9-insts,+wavefrontsize32" }
attributes #1 = { convergent noinline norecurse nounwind optnone "amdgpu-flat-work-group-size"="1,256" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1100" "target-features"="+16-bit-insts,+atomic-fadd-rtn-insts,+ci-insts,+dl-insts,+dot10-insts,+dot5-insts,+dot7-insts,+dot8-insts,+dot9-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx11-insts,+gfx8-insts,+gfx9-insts,+wavefrontsize32" "uniform-work-group-size"="false" }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { convergent nounwind }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 2, i32 0}
!3 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!4 = !{i32 1, i32 3, i32 2, i32 0}
!5 = !{!"none", !"none", !"none", !"none"}
!6 = !{!"int*", !"int*", !"int*", !"struct Pair"}
!7 = !{!"", !"", !"const", !""}
