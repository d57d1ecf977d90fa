; ModuleID = 'pointers.cl'
source_filename = "pointers.cl"
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

%struct.Places = type { ptr addrspace(3), ptr addrspace(1) }

@places = addrspace(4) constant %struct.Places { ptr addrspace(3) addrspacecast (ptr null to ptr addrspace(3)), ptr addrspace(1) null }, align 8
@__oclc_ABI_version = weak_odr hidden local_unnamed_addr addrspace(4) constant i32 500

; Function Attrs: convergent noinline norecurse nounwind optnone
define dso_local amdgpu_kernel void @k(ptr addrspace(1) noundef align 4 %out, ptr addrspace(3) noundef align 4 %scratch) #0 !kernel_arg_addr_space !4 !kernel_arg_access_qual !5 !kernel_arg_type !6 !kernel_arg_base_type !6 !kernel_arg_type_qual !7 {
entry:
  %out.addr = alloca ptr addrspace(1), align 8, addrspace(5)
  %scratch.addr = alloca ptr addrspace(3), align 4, addrspace(5)
  %own = alloca %struct.Places, align 8, addrspace(5)
  %none = alloca ptr addrspace(4), align 8, addrspace(5)
  %ends = alloca [2 x ptr addrspace(1)], align 8, addrspace(5)
  store ptr addrspace(1) %out, ptr addrspace(5) %out.addr, align 8
  store ptr addrspace(3) %scratch, ptr addrspace(5) %scratch.addr, align 4
  %near = getelementptr inbounds %struct.Places, ptr addrspace(5) %own, i32 0, i32 0
  %0 = load ptr addrspace(3), ptr addrspace(5) %scratch.addr, align 4
  store ptr addrspace(3) %0, ptr addrspace(5) %near, align 8
  %far = getelementptr inbounds %struct.Places, ptr addrspace(5) %own, i32 0, i32 1
  %1 = load ptr addrspace(1), ptr addrspace(5) %out.addr, align 8
  store ptr addrspace(1) %1, ptr addrspace(5) %far, align 8
  store ptr addrspace(4) null, ptr addrspace(5) %none, align 8
  %2 = load ptr addrspace(1), ptr addrspace(5) %out.addr, align 8
  store ptr addrspace(1) %2, ptr addrspace(5) %ends, align 8
  %arrayinit.element = getelementptr inbounds ptr addrspace(1), ptr addrspace(5) %ends, i64 1
  %3 = load ptr addrspace(1), ptr addrspace(5) %out.addr, align 8
  %add.ptr = getelementptr inbounds i32, ptr addrspace(1) %3, i64 1
  store ptr addrspace(1) %add.ptr, ptr addrspace(5) %arrayinit.element, align 8
  %arrayidx = getelementptr inbounds [2 x ptr addrspace(1)], ptr addrspace(5) %ends, i64 0, i64 1
  %4 = load ptr addrspace(1), ptr addrspace(5) %arrayidx, align 8
  store i32 2, ptr addrspace(1) %4, align 4
  %5 = load ptr addrspace(4), ptr addrspace(5) %none, align 8
  %cmp = icmp eq ptr addrspace(4) %5, null
  br i1 %cmp, label %cond.true, label %cond.false

cond.true:                                        ; preds = %entry
  %near1 = getelementptr inbounds %struct.Places, ptr addrspace(5) %own, i32 0, i32 0
  %6 = load ptr addrspace(3), ptr addrspace(5) %near1, align 8
  %7 = load i32, ptr addrspace(3) %6, align 4
  br label %cond.end

cond.false:                                       ; preds = %entry
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %7, %cond.true ], [ 1, %cond.false ]
  %8 = load ptr addrspace(1), ptr addrspace(5) %out.addr, align 8
  %arrayidx2 = getelementptr inbounds i32, ptr addrspace(1) %8, i64 0
  store i32 %cond, ptr addrspace(1) %arrayidx2, align 4
  ret void
}

attributes #0 = { convergent noinline norecurse nounwind optnone "amdgpu-flat-work-group-size"="1,256" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="gfx1100" "target-features"="+16-bit-insts,+atomic-fadd-rtn-insts,+ci-insts,+dl-insts,+dot10-insts,+dot5-insts,+dot7-insts,+dot8-insts,+dot9-insts,+dpp,+gfx10-3-insts,+gfx10-insts,+gfx11-insts,+gfx8-insts,+gfx9-insts,+wavefrontsize32" "uniform-work-group-size"="false" }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!llvm.ident = !{!3}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 2, i32 0}
!3 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!4 = !{i32 1, i32 3}
!5 = !{!"none", !"none"}
!6 = !{!"int*", !"int*"}
!7 = !{!"", !""}
