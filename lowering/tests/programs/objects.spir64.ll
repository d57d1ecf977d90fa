; ModuleID = 'objects.cl'
source_filename = "objects.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

%struct.Pair = type { i32, i32 }

@table = addrspace(2) constant [3 x i32] [i32 1, i32 2, i32 3], align 4
@counter = addrspace(1) global i32 7, align 4
@helper.calls = internal addrspace(1) global i64 5, align 8
@k.shared = internal addrspace(3) global [16 x float] undef, align 4
@__const.k.own = private unnamed_addr addrspace(2) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4
@.str = private unnamed_addr addrspace(2) constant [5 x i8] c"text\00", align 1

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local spir_func void @make(ptr dead_on_unwind noalias writable sret(%struct.Pair) align 4 %agg.result, i32 noundef %first) #0 {
entry:
  %first.addr = alloca i32, align 4
  store i32 %first, ptr %first.addr, align 4
  %first1 = getelementptr inbounds %struct.Pair, ptr %agg.result, i32 0, i32 0
  %0 = load i32, ptr %first.addr, align 4
  store i32 %0, ptr %first1, align 4
  %second = getelementptr inbounds %struct.Pair, ptr %agg.result, i32 0, i32 1
  store i32 2, ptr %second, align 4
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local spir_func i32 @helper(i32 noundef %n, ptr addrspace(1) noundef %p) #0 {
entry:
  %n.addr = alloca i32, align 4
  %p.addr = alloca ptr addrspace(1), align 8
  %sum = alloca i32, align 4
  store i32 %n, ptr %n.addr, align 4
  store ptr addrspace(1) %p, ptr %p.addr, align 8
  %0 = load i32, ptr %n.addr, align 4
  %1 = load ptr addrspace(1), ptr %p.addr, align 8
  %arrayidx = getelementptr inbounds i32, ptr addrspace(1) %1, i64 0
  %2 = load i32, ptr addrspace(1) %arrayidx, align 4
  %add = add nsw i32 %0, %2
  store i32 %add, ptr %sum, align 4
  %3 = load i32, ptr %sum, align 4
  %conv = sext i32 %3 to i64
  %4 = load i64, ptr addrspace(1) @helper.calls, align 8
  %add1 = add nsw i64 %4, %conv
  store i64 %add1, ptr addrspace(1) @helper.calls, align 8
  %5 = load i32, ptr %sum, align 4
  %6 = load i64, ptr addrspace(1) @helper.calls, align 8
  %conv2 = trunc i64 %6 to i32
  %add3 = add nsw i32 %5, %conv2
  ret i32 %add3
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local spir_kernel void @k(ptr addrspace(1) noundef align 4 %out, ptr addrspace(3) noundef align 4 %scratch, ptr addrspace(2) noundef align 4 %in, ptr noundef byval(%struct.Pair) align 4 %pair) #1 !kernel_arg_addr_space !3 !kernel_arg_access_qual !4 !kernel_arg_type !5 !kernel_arg_base_type !5 !kernel_arg_type_qual !6 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8
  %scratch.addr = alloca ptr addrspace(3), align 8
  %in.addr = alloca ptr addrspace(2), align 8
  %own = alloca [4 x i32], align 4
  %vector = alloca <4 x float>, align 16
  %wide = alloca i32, align 64
  %text = alloca ptr addrspace(2), align 8
  %literal = alloca ptr addrspace(4), align 8
  %.compoundliteral = alloca [3 x i32], align 4
  %tmp = alloca %struct.Pair, align 4
  store ptr addrspace(1) %out, ptr %out.addr, align 8
  store ptr addrspace(3) %scratch, ptr %scratch.addr, align 8
  store ptr addrspace(2) %in, ptr %in.addr, align 8
  call void @llvm.memcpy.p0.p2.i64(ptr align 4 %own, ptr addrspace(2) align 4 @__const.k.own, i64 16, i1 false)
  store <4 x float> <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>, ptr %vector, align 16
  store i32 3, ptr %wide, align 64
  store ptr addrspace(2) @.str, ptr %text, align 8
  store i32 4, ptr %.compoundliteral, align 4
  %arrayinit.element = getelementptr inbounds i32, ptr %.compoundliteral, i64 1
  store i32 5, ptr %arrayinit.element, align 4
  %arrayinit.element1 = getelementptr inbounds i32, ptr %.compoundliteral, i64 2
  store i32 6, ptr %arrayinit.element1, align 4
  %arraydecay = getelementptr inbounds [3 x i32], ptr %.compoundliteral, i64 0, i64 0
  %arraydecay.ascast = addrspacecast ptr %arraydecay to ptr addrspace(4)
  store ptr addrspace(4) %arraydecay.ascast, ptr %literal, align 8
  %0 = load <4 x float>, ptr %vector, align 16
  %1 = extractelement <4 x float> %0, i64 0
  %2 = load ptr addrspace(2), ptr %text, align 8
  %arrayidx = getelementptr inbounds i8, ptr addrspace(2) %2, i64 1
  %3 = load i8, ptr addrspace(2) %arrayidx, align 1
  %conv = sext i8 %3 to i32
  %conv2 = sitofp i32 %conv to float
  %add = fadd float %1, %conv2
  store float %add, ptr addrspace(3) @k.shared, align 4
  %arrayidx3 = getelementptr inbounds [4 x i32], ptr %own, i64 0, i64 1
  %4 = load i32, ptr %arrayidx3, align 4
  %5 = load ptr addrspace(1), ptr %out.addr, align 8
  %call = call spir_func i32 @helper(i32 noundef %4, ptr addrspace(1) noundef %5) #3
  %6 = load i32, ptr %wide, align 64
  %add4 = add nsw i32 %call, %6
  %7 = load ptr addrspace(4), ptr %literal, align 8
  %arrayidx5 = getelementptr inbounds i32, ptr addrspace(4) %7, i64 2
  %8 = load i32, ptr addrspace(4) %arrayidx5, align 4
  %add6 = add nsw i32 %add4, %8
  %9 = load ptr addrspace(3), ptr %scratch.addr, align 8
  %arrayidx7 = getelementptr inbounds i32, ptr addrspace(3) %9, i64 0
  store i32 %add6, ptr addrspace(3) %arrayidx7, align 4
  %10 = load ptr addrspace(2), ptr %in.addr, align 8
  %arrayidx8 = getelementptr inbounds i32, ptr addrspace(2) %10, i64 0
  %11 = load i32, ptr addrspace(2) %arrayidx8, align 4
  %12 = load i32, ptr addrspace(2) getelementptr inbounds ([3 x i32], ptr addrspace(2) @table, i64 0, i64 1), align 4
  %add9 = add nsw i32 %11, %12
  %13 = load i32, ptr addrspace(1) @counter, align 4
  %add10 = add nsw i32 %add9, %13
  call spir_func void @make(ptr dead_on_unwind writable sret(%struct.Pair) align 4 %tmp, i32 noundef 3) #3
  %second = getelementptr inbounds %struct.Pair, ptr %tmp, i32 0, i32 1
  %14 = load i32, ptr %second, align 4
  %add11 = add nsw i32 %add10, %14
  %first = getelementptr inbounds %struct.Pair, ptr %pair, i32 0, i32 0
  %15 = load i32, ptr %first, align 4
  %add12 = add nsw i32 %add11, %15
  %16 = load float, ptr addrspace(3) @k.shared, align 4
  %conv13 = fptosi float %16 to i32
  %add14 = add nsw i32 %add12, %conv13
  %17 = load ptr addrspace(1), ptr %out.addr, align 8
  %arrayidx15 = getelementptr inbounds i32, ptr addrspace(1) %17, i64 0
  store i32 %add14, ptr addrspace(1) %arrayidx15, align 4
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p2.i64(ptr noalias nocapture writeonly, ptr addrspace(2) noalias nocapture readonly, i64, i1 immarg) #2

attributes #0 = { convergent noinline norecurse nounwind optnone "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { convergent noinline norecurse nounwind optnone "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { convergent nounwind }

!llvm.module.flags = !{!0}
!opencl.ocl.version = !{!1}
!opencl.spir.version = !{!1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 2, i32 0}
!2 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!3 = !{i32 1, i32 3, i32 2, i32 0}
!4 = !{!"none", !"none", !"none", !"none"}
!5 = !{!"int*", !"int*", !"int*", !"struct Pair"}
!6 = !{!"", !"", !"const", !""}
