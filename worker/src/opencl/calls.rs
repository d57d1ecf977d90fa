//! Calls of the host's interface that hand over memory: the only unsafe code, each call with what makes it sound.

#![expect(
    unsafe_code,
    reason = "the binding cannot know that sizes and handles fit; each call says why they do"
)]

use std::{ptr, rc::Rc};

use expectations::probe::plan::Channel;
use opencl3::{
    command_queue::{
        CL_QUEUE_ON_DEVICE, CL_QUEUE_ON_DEVICE_DEFAULT, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        CommandQueue,
    },
    context::Context,
    error_codes::{CL_INVALID_ARG_SIZE, CL_INVALID_BUFFER_SIZE, ClError},
    kernel::{Kernel, set_kernel_arg},
    memory::{
        Buffer, CL_DEPTH, CL_FLOAT, CL_HALF_FLOAT, CL_MEM_OBJECT_IMAGE1D,
        CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,
        CL_MEM_OBJECT_IMAGE3D, CL_MEM_READ_WRITE, CL_RGBA, CL_SIGNED_INT8, CL_SIGNED_INT16,
        CL_SIGNED_INT32, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, ClMem, Image,
        cl_mem, svm_alloc, svm_free,
    },
    program::{Program, link_program, release_program},
    types::{
        CL_BLOCKING, cl_device_id, cl_image_desc, cl_image_format, cl_mem_object_type,
        cl_platform_id, cl_program, cl_uint,
    },
};

use crate::loaded::is_readable;

/// Creates a queue of a device in a context that the device belongs to.
pub(super) fn queue(context: &Context, device: cl_device_id) -> Result<CommandQueue, ClError> {
    // SAFETY: callers pair a context with one of its own devices.
    unsafe { CommandQueue::create(context, device, 0) }
}

/// Creates the default queue on a device, with which kernels on that device enqueue others.
pub(super) fn device_queue(
    context: &Context,
    device: cl_device_id,
) -> Result<CommandQueue, ClError> {
    let properties =
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    // SAFETY: callers pair a context with one of its own devices.
    unsafe { CommandQueue::create_with_properties(context, device, properties, 0) }
}

/// Creates a buffer with room for `size` bytes.
pub(super) fn buffer(context: &Context, size: usize) -> Result<Buffer<u8>, ClError> {
    // SAFETY: no host memory is handed over.
    unsafe { Buffer::create(context, CL_MEM_READ_WRITE, size, ptr::null_mut()) }
}

/// Creates a sub-buffer.
pub(super) fn part(whole: &Buffer<u8>, start: usize, size: usize) -> Result<Buffer<u8>, ClError> {
    // SAFETY: a part outside the whole is rejected with an error; the whole outlives its parts by their count of
    // references.
    unsafe { whole.create_sub_buffer(CL_MEM_READ_WRITE, start, size) }
}

/// Writes into a buffer and waits.
pub(super) fn write(
    queue: &CommandQueue,
    buffer: &mut Buffer<u8>,
    start: usize,
    bytes: &[u8],
) -> Result<(), ClError> {
    // SAFETY: the call blocks until the bytes are taken, and rejects what does not fit into the buffer.
    unsafe { queue.enqueue_write_buffer(buffer, CL_BLOCKING, start, bytes, &[]) }.map(drop)
}

/// Reads from a buffer and waits.
pub(super) fn read(
    queue: &CommandQueue,
    buffer: &Buffer<u8>,
    start: usize,
    bytes: &mut [u8],
) -> Result<(), ClError> {
    // SAFETY: the call blocks until the bytes are there, and rejects what the buffer does not have.
    unsafe { queue.enqueue_read_buffer(buffer, CL_BLOCKING, start, bytes, &[]) }.map(drop)
}

/// Returns addresses of the functions that the loader calls for a platform, those of `OpenCL` 1.0, which every table
/// has: `cl_khr_icd` requires that a platform begins with a pointer to the table. Returns nothing where the memory
/// cannot hold such a table.
pub(super) fn functions(platform: cl_platform_id) -> Vec<usize> {
    const WORD: usize = size_of::<usize>();
    const FUNCTIONS: usize = 65;
    if !is_readable(platform.addr(), WORD) || !platform.addr().is_multiple_of(WORD) {
        return Vec::new();
    }
    // SAFETY: the word is aligned and mapped for reading.
    let table = unsafe { platform.cast::<*const usize>().read() };
    if !is_readable(table.addr(), FUNCTIONS * WORD) || !table.addr().is_multiple_of(WORD) {
        return Vec::new();
    }
    // SAFETY: so are these.
    (0..FUNCTIONS).map(|index| unsafe { table.add(index).read() }).collect()
}

/// Shared virtual memory, freed when dropped.
pub(super) struct SharedMemory<'c> {
    context: &'c Context,
    start: *mut std::ffi::c_void,
    size: usize,
}

impl<'c> SharedMemory<'c> {
    /// Allocates memory for `size` bytes, aligned for every type.
    pub(super) fn new(context: &'c Context, size: usize) -> Result<Self, ClError> {
        // SAFETY: an error or an address of `size` bytes comes back.
        let start = unsafe { svm_alloc(context.get(), CL_MEM_READ_WRITE, size, 128) };
        Ok(Self { context, start: start.map_err(ClError)?, size })
    }

    /// Copies `bytes` to `start` and waits.
    pub(super) fn write(
        &mut self,
        queue: &CommandQueue,
        start: usize,
        bytes: &[u8],
    ) -> Result<(), ClError> {
        assert!(start + bytes.len() <= self.size, "a write beyond the memory");
        // SAFETY: the range lies within the allocation, and the call blocks.
        unsafe {
            let to = self.start.byte_add(start);
            queue.enqueue_svm_mem_cpy(CL_BLOCKING, to, bytes.as_ptr().cast(), bytes.len(), &[])
        }
        .map(drop)
    }

    /// Copies all of the memory into `bytes` and waits.
    pub(super) fn read(&self, queue: &CommandQueue, bytes: &mut [u8]) -> Result<(), ClError> {
        assert!(bytes.len() <= self.size, "a read beyond the memory");
        // SAFETY: the range lies within the allocation, and the call blocks.
        unsafe {
            let to = bytes.as_mut_ptr().cast();
            queue.enqueue_svm_mem_cpy(CL_BLOCKING, to, self.start, bytes.len(), &[])
        }
        .map(drop)
    }

    /// Sets an argument to the address `start` bytes into the memory.
    pub(super) fn give(&self, kernel: &Kernel, argument: u32, start: usize) -> Result<(), ClError> {
        assert!(start < self.size, "an address beyond the memory");
        // SAFETY: the address lies within the allocation.
        unsafe { kernel.set_arg_svm_pointer(argument, self.start.byte_add(start)) }
    }
}

impl Drop for SharedMemory<'_> {
    fn drop(&mut self) {
        // SAFETY: the address came from the same context, and every use of it was waited for.
        let _ = unsafe { svm_free(self.context.get(), self.start) };
    }
}

/// Sets an argument to a buffer.
pub(super) fn give_buffer(
    kernel: &Kernel,
    argument: u32,
    buffer: &Buffer<u8>,
) -> Result<(), ClError> {
    // SAFETY: the handle is copied; callers keep the buffer until the kernel is done.
    unsafe { kernel.set_arg(argument, &buffer.get()) }
}

/// Sets an argument to no buffer.
pub(super) fn give_null(kernel: &Kernel, argument: u32) -> Result<(), ClError> {
    let nothing: cl_mem = ptr::null_mut();
    // SAFETY: a null handle is what the interface takes for no buffer.
    unsafe { kernel.set_arg(argument, &nothing) }
}

/// Sets an argument to local memory; 0 bytes are rejected with an error.
pub(super) fn give_local(kernel: &Kernel, argument: u32, bytes: usize) -> Result<(), ClError> {
    // SAFETY: no host memory is handed over.
    unsafe { kernel.set_arg_local_buffer(argument, bytes) }
}

/// Sets an argument to a value; a size that does not fit is rejected with an error.
pub(super) fn give<T: Copy>(kernel: &Kernel, argument: u32, value: &T) -> Result<(), ClError> {
    // SAFETY: the value is copied, as many bytes as it has.
    unsafe { kernel.set_arg(argument, value) }
}

/// Bytes of an argument, aligned for every type; no argument that is given has more.
#[repr(align(128))]
struct Bytes([u8; 4096]);

/// Sets an argument to a value of these bytes; a size that does not fit is rejected with an error.
pub(super) fn give_bytes(kernel: &Kernel, argument: u32, bytes: &[u8]) -> Result<(), ClError> {
    let mut aligned = Bytes([0; 4096]);
    let size = bytes.len();
    let place = aligned.0.get_mut(..size).ok_or(ClError(CL_INVALID_ARG_SIZE))?;
    place.copy_from_slice(bytes);
    // SAFETY: the bytes are copied, no more than there are.
    unsafe { set_kernel_arg(kernel.get(), argument, size, aligned.0.as_ptr().cast()) }
        .map_err(ClError)
}

/// Sets an argument to a value of `size` zero bytes; a size that does not fit is rejected with an error.
pub(super) fn give_zeros(kernel: &Kernel, argument: u32, size: usize) -> Result<(), ClError> {
    static ZEROS: [u8; 1024] = [0; 1024];
    give_bytes(kernel, argument, &ZEROS[..size.min(ZEROS.len())])
}

/// Creates an image of one pixel for a parameter of this type; `None` for a type that is not an image.
pub(super) fn image(context: &Context, type_name: &str) -> Option<Result<Image, ClError>> {
    let (kind, is_depth) = match type_name {
        "image1d_t" => (CL_MEM_OBJECT_IMAGE1D, false),
        "image1d_array_t" => (CL_MEM_OBJECT_IMAGE1D_ARRAY, false),
        "image2d_t" => (CL_MEM_OBJECT_IMAGE2D, false),
        "image2d_array_t" => (CL_MEM_OBJECT_IMAGE2D_ARRAY, false),
        "image2d_depth_t" => (CL_MEM_OBJECT_IMAGE2D, true),
        "image2d_array_depth_t" => (CL_MEM_OBJECT_IMAGE2D_ARRAY, true),
        "image3d_t" => (CL_MEM_OBJECT_IMAGE3D, false),
        _ => return None,
    };
    let (order, data_type) =
        if is_depth { (CL_DEPTH, CL_FLOAT) } else { (CL_RGBA, CL_UNSIGNED_INT8) };
    Some(create_image(context, kind, (order, data_type), (1, 1)))
}

/// Creates an image of four channels, of one dimension where it has no height.
pub(super) fn texels(
    context: &Context,
    channel: Channel,
    width: usize,
    height: Option<usize>,
) -> Result<Image, ClError> {
    let data_type = match channel {
        Channel::SignedInt8 => CL_SIGNED_INT8,
        Channel::SignedInt16 => CL_SIGNED_INT16,
        Channel::SignedInt32 => CL_SIGNED_INT32,
        Channel::UnsignedInt8 => CL_UNSIGNED_INT8,
        Channel::UnsignedInt16 => CL_UNSIGNED_INT16,
        Channel::UnsignedInt32 => CL_UNSIGNED_INT32,
        Channel::HalfFloat => CL_HALF_FLOAT,
        Channel::Float => CL_FLOAT,
    };
    let kind = if height.is_some() { CL_MEM_OBJECT_IMAGE2D } else { CL_MEM_OBJECT_IMAGE1D };
    create_image(context, kind, (CL_RGBA, data_type), (width, height.unwrap_or(1)))
}

/// Creates an image of this kind, with this channel order and data type, width and height.
fn create_image(
    context: &Context,
    kind: cl_mem_object_type,
    (order, data_type): (cl_uint, cl_uint),
    (width, height): (usize, usize),
) -> Result<Image, ClError> {
    let format = cl_image_format { image_channel_order: order, image_channel_data_type: data_type };
    let description = cl_image_desc {
        image_type: kind,
        image_width: width,
        image_height: height,
        image_depth: 1,
        image_array_size: 1,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: ptr::null_mut(),
    };
    // SAFETY: both descriptions live until the call returns, and no host memory is handed over.
    unsafe {
        Image::create(
            context,
            CL_MEM_READ_WRITE,
            &raw const format,
            &raw const description,
            ptr::null_mut(),
        )
    }
}

/// Writes every texel of an image and waits.
pub(super) fn write_image(
    queue: &CommandQueue,
    image: &mut Image,
    region: [usize; 3],
    bytes: &[u8],
) -> Result<(), ClError> {
    let (origin, region) = ([0; 3], within(image, region, bytes.len())?);
    let (origin, region) = (origin.as_ptr(), region.as_ptr());
    let from = bytes.as_ptr().cast_mut().cast();
    // SAFETY: the call blocks until the bytes are taken, has as many as the region, and does not write to them.
    unsafe { queue.enqueue_write_image(image, CL_BLOCKING, origin, region, 0, 0, from, &[]) }
        .map(drop)
}

/// Reads every texel of an image and waits.
pub(super) fn read_image(
    queue: &CommandQueue,
    image: &Image,
    region: [usize; 3],
    bytes: &mut [u8],
) -> Result<(), ClError> {
    let (origin, region) = ([0; 3], within(image, region, bytes.len())?);
    let (origin, region) = (origin.as_ptr(), region.as_ptr());
    let to = bytes.as_mut_ptr().cast();
    // SAFETY: the call blocks until the bytes are there, and there is room for the region.
    unsafe { queue.enqueue_read_image(image, CL_BLOCKING, origin, region, 0, 0, to, &[]) }.map(drop)
}

/// Returns the region where its texels have this many bytes.
fn within(image: &Image, region: [usize; 3], bytes: usize) -> Result<[usize; 3], ClError> {
    let texels: usize = region.iter().product();
    if image.element_size()?.checked_mul(texels) == Some(bytes) {
        Ok(region)
    } else {
        Err(ClError(CL_INVALID_BUFFER_SIZE))
    }
}

/// Sets an argument to an image.
pub(super) fn give_image(kernel: &Kernel, argument: u32, image: &Image) -> Result<(), ClError> {
    // SAFETY: the handle is copied; callers keep the image until the kernel is done.
    unsafe { kernel.set_arg(argument, &image.get()) }
}

/// Launches a kernel whose arguments are set, and waits for its end.
pub(super) fn launch(
    queue: &CommandQueue,
    kernel: &Kernel,
    items: &[usize],
    group: &[usize],
) -> Result<(), ClError> {
    let dimensions = items.len() as u32;
    // SAFETY: both lists have the lengths that are passed. What a kernel does with its arguments is what is under
    // test, in a process of its own.
    let event = unsafe {
        let (items, group) = (items.as_ptr(), group.as_ptr());
        queue.enqueue_nd_range_kernel(kernel.get(), dimensions, ptr::null(), items, group, &[])
    }?;
    event.wait()
}

/// A linked program, released when dropped.
pub(super) struct LinkedProgram(cl_program);

impl LinkedProgram {
    /// Links modules that were compiled in a context, for the context's devices.
    pub(super) fn new(
        context: &Context,
        devices: &[cl_device_id],
        modules: &[Rc<Program>],
    ) -> Result<Self, ClError> {
        let handles: Vec<cl_program> = modules.iter().map(|module| module.get()).collect();
        // The binding's own method passes a program where a context belongs.
        // SAFETY: the modules were compiled in this context for these devices, and no callback is handed over.
        let linked =
            unsafe { link_program(context.get(), devices, c"", &handles, None, ptr::null_mut()) };
        linked.map(Self).map_err(ClError)
    }

    pub(super) fn get(&self) -> cl_program {
        self.0
    }
}

impl Drop for LinkedProgram {
    fn drop(&mut self) {
        // SAFETY: the handle came from the linker and is given back once.
        let _ = unsafe { release_program(self.0) };
    }
}
