; ModuleID = 'pointers.cl'
source_filename = "pointers.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

%struct.Places = type { ptr addrspace(3), ptr addrspace(1) }

@places = addrspace(2) constant %struct.Places zeroinitializer, align 8

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local spir_kernel void @k(ptr addrspace(1) noundef align 4 %out, ptr addrspace(3) noundef align 4 %scratch) #0 !kernel_arg_addr_space !3 !kernel_arg_access_qual !4 !kernel_arg_type !5 !kernel_arg_base_type !5 !kernel_arg_type_qual !6 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8
  %scratch.addr = alloca ptr addrspace(3), align 8
  %own = alloca %struct.Places, align 8
  %none = alloca ptr addrspace(2), align 8
  %ends = alloca [2 x ptr addrspace(1)], align 8
  store ptr addrspace(1) %out, ptr %out.addr, align 8
  store ptr addrspace(3) %scratch, ptr %scratch.addr, align 8
  %near = getelementptr inbounds %struct.Places, ptr %own, i32 0, i32 0
  %0 = load ptr addrspace(3), ptr %scratch.addr, align 8
  store ptr addrspace(3) %0, ptr %near, align 8
  %far = getelementptr inbounds %struct.Places, ptr %own, i32 0, i32 1
  %1 = load ptr addrspace(1), ptr %out.addr, align 8
  store ptr addrspace(1) %1, ptr %far, align 8
  store ptr addrspace(2) null, ptr %none, align 8
  %2 = load ptr addrspace(1), ptr %out.addr, align 8
  store ptr addrspace(1) %2, ptr %ends, align 8
  %arrayinit.element = getelementptr inbounds ptr addrspace(1), ptr %ends, i64 1
  %3 = load ptr addrspace(1), ptr %out.addr, align 8
  %add.ptr = getelementptr inbounds i32, ptr addrspace(1) %3, i64 1
  store ptr addrspace(1) %add.ptr, ptr %arrayinit.element, align 8
  %arrayidx = getelementptr inbounds [2 x ptr addrspace(1)], ptr %ends, i64 0, i64 1
  %4 = load ptr addrspace(1), ptr %arrayidx, align 8
  store i32 2, ptr addrspace(1) %4, align 4
  %5 = load ptr addrspace(2), ptr %none, align 8
  %cmp = icmp eq ptr addrspace(2) %5, null
  br i1 %cmp, label %cond.true, label %cond.false

cond.true:                                        ; preds = %entry
  %near1 = getelementptr inbounds %struct.Places, ptr %own, i32 0, i32 0
  %6 = load ptr addrspace(3), ptr %near1, align 8
  %7 = load i32, ptr addrspace(3) %6, align 4
  br label %cond.end

cond.false:                                       ; preds = %entry
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %7, %cond.true ], [ 1, %cond.false ]
  %8 = load ptr addrspace(1), ptr %out.addr, align 8
  %arrayidx2 = getelementptr inbounds i32, ptr addrspace(1) %8, i64 0
  store i32 %cond, ptr addrspace(1) %arrayidx2, align 4
  ret void
}

attributes #0 = { convergent noinline norecurse nounwind optnone "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }

!llvm.module.flags = !{!0}
!opencl.ocl.version = !{!1}
!opencl.spir.version = !{!1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 2, i32 0}
!2 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!3 = !{i32 1, i32 3}
!4 = !{!"none", !"none"}
!5 = !{!"int*", !"int*"}
!6 = !{!"", !""}
