; ModuleID = 'objects.cl'
source_filename = "objects.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64"

%struct.Pair = type { i32, i32 }

@table = addrspace(2) constant [3 x i32] [i32 1, i32 2, i32 3], align 4
@counter = addrspace(1) global i32 7, align 4
@helper.calls = internal addrspace(1) global i64 5, align 8
@k.shared = internal addrspace(3) global [16 x float] undef, align 4
@__const.k.own = private unnamed_addr addrspace(2) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4
@.str = private unnamed_addr addrspace(2) constant [5 x i8] c"text\00", align 1

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local spir_func void @make(%struct.Pair* noalias sret(%struct.Pair) align 4 %agg.result, i32 noundef %first) #0 {
entry:
  %first.addr = alloca i32, align 4
  store i32 %first, i32* %first.addr, align 4
  %first1 = getelementptr inbounds %struct.Pair, %struct.Pair* %agg.result, i32 0, i32 0
  %0 = load i32, i32* %first.addr, align 4
  store i32 %0, i32* %first1, align 4
  %second = getelementptr inbounds %struct.Pair, %struct.Pair* %agg.result, i32 0, i32 1
  store i32 2, i32* %second, align 4
  ret void
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local spir_func i32 @helper(i32 noundef %n, i32 addrspace(1)* noundef %p) #0 {
entry:
  %n.addr = alloca i32, align 4
  %p.addr = alloca i32 addrspace(1)*, align 8
  %sum = alloca i32, align 4
  store i32 %n, i32* %n.addr, align 4
  store i32 addrspace(1)* %p, i32 addrspace(1)** %p.addr, align 8
  %0 = load i32, i32* %n.addr, align 4
  %1 = load i32 addrspace(1)*, i32 addrspace(1)** %p.addr, align 8
  %arrayidx = getelementptr inbounds i32, i32 addrspace(1)* %1, i64 0
  %2 = load i32, i32 addrspace(1)* %arrayidx, align 4
  %add = add nsw i32 %0, %2
  store i32 %add, i32* %sum, align 4
  %3 = load i32, i32* %sum, align 4
  %conv = sext i32 %3 to i64
  %4 = load i64, i64 addrspace(1)* @helper.calls, align 8
  %add1 = add nsw i64 %4, %conv
  store i64 %add1, i64 addrspace(1)* @helper.calls, align 8
  %5 = load i32, i32* %sum, align 4
  %6 = load i64, i64 addrspace(1)* @helper.calls, align 8
  %conv2 = trunc i64 %6 to i32
  %add3 = add nsw i32 %5, %conv2
  ret i32 %add3
}

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local spir_kernel void @k(i32 addrspace(1)* noundef %out, i32 addrspace(3)* noundef %scratch, i32 addrspace(2)* noundef %in, %struct.Pair* noundef byval(%struct.Pair) align 4 %pair) #1 !kernel_arg_addr_space !3 !kernel_arg_access_qual !4 !kernel_arg_type !5 !kernel_arg_base_type !5 !kernel_arg_type_qual !6 {
entry:
  %out.addr = alloca i32 addrspace(1)*, align 8
  %scratch.addr = alloca i32 addrspace(3)*, align 8
  %in.addr = alloca i32 addrspace(2)*, align 8
  %own = alloca [4 x i32], align 4
  %vector = alloca <4 x float>, align 16
  %wide = alloca i32, align 64
  %text = alloca i8 addrspace(2)*, align 8
  %literal = alloca i32 addrspace(4)*, align 8
  %.compoundliteral = alloca [3 x i32], align 4
  %tmp = alloca %struct.Pair, align 4
  store i32 addrspace(1)* %out, i32 addrspace(1)** %out.addr, align 8
  store i32 addrspace(3)* %scratch, i32 addrspace(3)** %scratch.addr, align 8
  store i32 addrspace(2)* %in, i32 addrspace(2)** %in.addr, align 8
  %0 = bitcast [4 x i32]* %own to i8*
  call void @llvm.memcpy.p0i8.p2i8.i64(i8* align 4 %0, i8 addrspace(2)* align 4 bitcast ([4 x i32] addrspace(2)* @__const.k.own to i8 addrspace(2)*), i64 16, i1 false)
  store <4 x float> <float 1.000000e+00, float 1.000000e+00, float 1.000000e+00, float 1.000000e+00>, <4 x float>* %vector, align 16
  store i32 3, i32* %wide, align 64
  store i8 addrspace(2)* getelementptr inbounds ([5 x i8], [5 x i8] addrspace(2)* @.str, i64 0, i64 0), i8 addrspace(2)** %text, align 8
  %arrayinit.begin = getelementptr inbounds [3 x i32], [3 x i32]* %.compoundliteral, i64 0, i64 0
  store i32 4, i32* %arrayinit.begin, align 4
  %arrayinit.element = getelementptr inbounds i32, i32* %arrayinit.begin, i64 1
  store i32 5, i32* %arrayinit.element, align 4
  %arrayinit.element1 = getelementptr inbounds i32, i32* %arrayinit.element, i64 1
  store i32 6, i32* %arrayinit.element1, align 4
  %arraydecay = getelementptr inbounds [3 x i32], [3 x i32]* %.compoundliteral, i64 0, i64 0
  %arraydecay.ascast = addrspacecast i32* %arraydecay to i32 addrspace(4)*
  store i32 addrspace(4)* %arraydecay.ascast, i32 addrspace(4)** %literal, align 8
  %1 = load <4 x float>, <4 x float>* %vector, align 16
  %2 = extractelement <4 x float> %1, i64 0
  %3 = load i8 addrspace(2)*, i8 addrspace(2)** %text, align 8
  %arrayidx = getelementptr inbounds i8, i8 addrspace(2)* %3, i64 1
  %4 = load i8, i8 addrspace(2)* %arrayidx, align 1
  %conv = sext i8 %4 to i32
  %conv2 = sitofp i32 %conv to float
  %add = fadd float %2, %conv2
  store float %add, float addrspace(3)* getelementptr inbounds ([16 x float], [16 x float] addrspace(3)* @k.shared, i64 0, i64 0), align 4
  %arrayidx3 = getelementptr inbounds [4 x i32], [4 x i32]* %own, i64 0, i64 1
  %5 = load i32, i32* %arrayidx3, align 4
  %6 = load i32 addrspace(1)*, i32 addrspace(1)** %out.addr, align 8
  %call = call spir_func i32 @helper(i32 noundef %5, i32 addrspace(1)* noundef %6) #3
  %7 = load i32, i32* %wide, align 64
  %add4 = add nsw i32 %call, %7
  %8 = load i32 addrspace(4)*, i32 addrspace(4)** %literal, align 8
  %arrayidx5 = getelementptr inbounds i32, i32 addrspace(4)* %8, i64 2
  %9 = load i32, i32 addrspace(4)* %arrayidx5, align 4
  %add6 = add nsw i32 %add4, %9
  %10 = load i32 addrspace(3)*, i32 addrspace(3)** %scratch.addr, align 8
  %arrayidx7 = getelementptr inbounds i32, i32 addrspace(3)* %10, i64 0
  store i32 %add6, i32 addrspace(3)* %arrayidx7, align 4
  %11 = load i32 addrspace(2)*, i32 addrspace(2)** %in.addr, align 8
  %arrayidx8 = getelementptr inbounds i32, i32 addrspace(2)* %11, i64 0
  %12 = load i32, i32 addrspace(2)* %arrayidx8, align 4
  %13 = load i32, i32 addrspace(2)* getelementptr inbounds ([3 x i32], [3 x i32] addrspace(2)* @table, i64 0, i64 1), align 4
  %add9 = add nsw i32 %12, %13
  %14 = load i32, i32 addrspace(1)* @counter, align 4
  %add10 = add nsw i32 %add9, %14
  call spir_func void @make(%struct.Pair* sret(%struct.Pair) align 4 %tmp, i32 noundef 3) #3
  %second = getelementptr inbounds %struct.Pair, %struct.Pair* %tmp, i32 0, i32 1
  %15 = load i32, i32* %second, align 4
  %add11 = add nsw i32 %add10, %15
  %first = getelementptr inbounds %struct.Pair, %struct.Pair* %pair, i32 0, i32 0
  %16 = load i32, i32* %first, align 4
  %add12 = add nsw i32 %add11, %16
  %17 = load float, float addrspace(3)* getelementptr inbounds ([16 x float], [16 x float] addrspace(3)* @k.shared, i64 0, i64 0), align 4
  %conv13 = fptosi float %17 to i32
  %add14 = add nsw i32 %add12, %conv13
  %18 = load i32 addrspace(1)*, i32 addrspace(1)** %out.addr, align 8
  %arrayidx15 = getelementptr inbounds i32, i32 addrspace(1)* %18, i64 0
  store i32 %add14, i32 addrspace(1)* %arrayidx15, align 4
  ret void
}

; Function Attrs: argmemonly nofree nounwind willreturn
declare void @llvm.memcpy.p0i8.p2i8.i64(i8* noalias nocapture writeonly, i8 addrspace(2)* noalias nocapture readonly, i64, i1 immarg) #2

attributes #0 = { convergent noinline norecurse nounwind optnone "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" }
attributes #1 = { convergent noinline norecurse nounwind optnone "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #2 = { argmemonly nofree nounwind willreturn }
attributes #3 = { convergent }

!llvm.module.flags = !{!0}
!opencl.ocl.version = !{!1}
!opencl.spir.version = !{!1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 2, i32 0}
!2 = !{!"Debian clang version 14.0.6"}
!3 = !{i32 1, i32 3, i32 2, i32 0}
!4 = !{!"none", !"none", !"none", !"none"}
!5 = !{!"int*", !"int*", !"int*", !"struct Pair"}
!6 = !{!"", !"", !"const", !""}
