//! Calls of the library: the only unsafe code, each call with what makes it sound.

#![expect(
    unsafe_code,
    reason = "the library is loaded at run time: its functions have the types that its header gives them"
)]

use std::{
    ffi::{CStr, CString, c_char},
    ptr,
};

use dlopen2::raw::Library;

use super::interface::{Action, DataKind, Language, Status};

/// A status that is not success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The function.
    pub(super) call: &'static str,
    pub(super) status: Status,
    /// Name of the library's status.
    pub(super) what: String,
}

/// Handle of an object of the library: a structure of one number.
type Handle = u64;

type Raw = u32;

/// Declare the functions that are used, each with its type in the header.
macro_rules! functions {
    ($($field:ident = $name:literal: fn($($argument:ty),*);)*) => {
        /// The library's functions.
        pub(super) struct Functions {
            $($field: unsafe extern "C" fn($($argument),*) -> Raw,)*
            /// Keeps them where they are.
            _library: Library,
        }

        impl Functions {
            /// Load the library, once: LLVM cannot be loaded again. The error names the missing function, or the
            /// reason why the library cannot be loaded.
            pub(super) fn load(library: &str) -> Result<Self, String> {
                let library = Library::open(library).map_err(|error| error.to_string())?;
                $(
                    // SAFETY: the header gives the function this type, in every version of the interface.
                    let $field = unsafe { library.symbol($name) }
                        .map_err(|error| error.to_string())?;
                )*
                Ok(Self { $($field,)* _library: library })
            }
        }
    };
}

functions! {
    get_version = "amd_comgr_get_version": fn(*mut usize, *mut usize);
    status_string = "amd_comgr_status_string": fn(Raw, *mut *const c_char);
    create_data = "amd_comgr_create_data": fn(Raw, *mut Handle);
    release_data = "amd_comgr_release_data": fn(Handle);
    set_data = "amd_comgr_set_data": fn(Handle, usize, *const c_char);
    set_data_name = "amd_comgr_set_data_name": fn(Handle, *const c_char);
    get_data = "amd_comgr_get_data": fn(Handle, *mut usize, *mut c_char);
    create_data_set = "amd_comgr_create_data_set": fn(*mut Handle);
    destroy_data_set = "amd_comgr_destroy_data_set": fn(Handle);
    data_set_add = "amd_comgr_data_set_add": fn(Handle, Handle);
    data_count = "amd_comgr_action_data_count": fn(Handle, Raw, *mut usize);
    data_at = "amd_comgr_action_data_get_data": fn(Handle, Raw, usize, *mut Handle);
    create_action_info = "amd_comgr_create_action_info": fn(*mut Handle);
    destroy_action_info = "amd_comgr_destroy_action_info": fn(Handle);
    set_language = "amd_comgr_action_info_set_language": fn(Handle, Raw);
    set_isa_name = "amd_comgr_action_info_set_isa_name": fn(Handle, *const c_char);
    set_option_list = "amd_comgr_action_info_set_option_list": fn(Handle, *const *const c_char, usize);
    set_logging = "amd_comgr_action_info_set_logging": fn(Handle, bool);
    do_action = "amd_comgr_do_action": fn(Raw, Handle, Handle, Handle);
}

/// Returns the address of one of the library's functions.
pub(super) fn address(functions: &Functions) -> usize {
    functions.do_action as *const () as usize
}

impl Functions {
    /// Returns the major and minor version of the interface.
    pub(super) fn interface(&self) -> (usize, usize) {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both numbers outlive the call.
        unsafe { (self.get_version)(&raw mut major, &raw mut minor) };
        (major, minor)
    }

    fn checked(&self, call: &'static str, status: Raw) -> Result<(), Failure> {
        let status = Status::from(status);
        if status == Status::Success {
            return Ok(());
        }
        let mut text = ptr::null();
        // SAFETY: the pointer outlives the call; the text is the library's, and static.
        let known = unsafe { (self.status_string)(status.number(), &raw mut text) } == 0;
        let what = if known && !text.is_null() {
            // SAFETY: the library gives a text that ends in NUL.
            unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
        } else {
            format!("status {}", status.number())
        };
        Err(Failure { call, status, what })
    }

    /// Creates an empty set of data.
    pub(super) fn data_set(&self) -> Result<DataSet<'_>, Failure> {
        let mut handle = 0;
        // SAFETY: the number outlives the call.
        let status = unsafe { (self.create_data_set)(&raw mut handle) };
        self.checked("amd_comgr_create_data_set", status)?;
        Ok(DataSet { functions: self, handle })
    }

    /// Creates a set that holds one source.
    pub(super) fn source(&self, name: &CStr, text: &str) -> Result<DataSet<'_>, Failure> {
        let set = self.data_set()?;
        let mut handle = 0;
        // SAFETY: the number outlives the call.
        let status = unsafe { (self.create_data)(DataKind::Source.number(), &raw mut handle) };
        self.checked("amd_comgr_create_data", status)?;
        let data = Data { functions: self, handle };
        // SAFETY: the library copies this many bytes before it returns.
        let status = unsafe { (self.set_data)(data.handle, text.len(), text.as_ptr().cast()) };
        self.checked("amd_comgr_set_data", status)?;
        // SAFETY: the library copies the name, which ends in NUL.
        let status = unsafe { (self.set_data_name)(data.handle, name.as_ptr()) };
        self.checked("amd_comgr_set_data_name", status)?;
        // SAFETY: both are live; the set keeps the data by a count of references.
        let status = unsafe { (self.data_set_add)(set.handle, data.handle) };
        self.checked("amd_comgr_data_set_add", status)?;
        Ok(set)
    }

    /// Creates the settings of an action.
    pub(super) fn info(
        &self,
        language: Language,
        isa: &CStr,
        options: &[CString],
    ) -> Result<Info<'_>, Failure> {
        let mut handle = 0;
        // SAFETY: the number outlives the call.
        let status = unsafe { (self.create_action_info)(&raw mut handle) };
        self.checked("amd_comgr_create_action_info", status)?;
        let info = Info { functions: self, handle };
        if language != Language::None {
            // SAFETY: the handle is live.
            let status = unsafe { (self.set_language)(info.handle, language.number()) };
            self.checked("amd_comgr_action_info_set_language", status)?;
        }
        // SAFETY: the library copies the name, which ends in NUL.
        let status = unsafe { (self.set_isa_name)(info.handle, isa.as_ptr()) };
        self.checked("amd_comgr_action_info_set_isa_name", status)?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the library copies this many texts, each of which ends in NUL.
        let status =
            unsafe { (self.set_option_list)(info.handle, pointers.as_ptr(), pointers.len()) };
        self.checked("amd_comgr_action_info_set_option_list", status)?;
        // SAFETY: the handle is live.
        let status = unsafe { (self.set_logging)(info.handle, true) };
        self.checked("amd_comgr_action_info_set_logging", status)?;
        Ok(info)
    }
}

/// A piece of data.
struct Data<'f> {
    functions: &'f Functions,
    handle: Handle,
}

impl Drop for Data<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and used by nobody afterwards.
        unsafe { (self.functions.release_data)(self.handle) };
    }
}

/// Data that goes into an action, or came out of one.
pub(super) struct DataSet<'f> {
    functions: &'f Functions,
    handle: Handle,
}

impl DataSet<'_> {
    /// Returns the first piece of this kind as text; empty if there is none.
    pub(super) fn text(&self, kind: DataKind) -> Result<String, Failure> {
        let functions = self.functions;
        let mut count = 0;
        // SAFETY: the set is live and the number outlives the call.
        let status = unsafe { (functions.data_count)(self.handle, kind.number(), &raw mut count) };
        functions.checked("amd_comgr_action_data_count", status)?;
        if count == 0 {
            return Ok(String::new());
        }
        let mut handle = 0;
        // SAFETY: there is a piece of this kind with that number, and the handle outlives the call.
        let status = unsafe { (functions.data_at)(self.handle, kind.number(), 0, &raw mut handle) };
        functions.checked("amd_comgr_action_data_get_data", status)?;
        let data = Data { functions, handle };
        let mut size = 0;
        // SAFETY: without room for bytes the library only returns their number.
        let status = unsafe { (functions.get_data)(data.handle, &raw mut size, ptr::null_mut()) };
        functions.checked("amd_comgr_get_data", status)?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: there is room for this many bytes.
        let status =
            unsafe { (functions.get_data)(data.handle, &raw mut size, bytes.as_mut_ptr().cast()) };
        functions.checked("amd_comgr_get_data", status)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned())
    }
}

impl Drop for DataSet<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and used by nobody afterwards.
        unsafe { (self.functions.destroy_data_set)(self.handle) };
    }
}

/// Settings of an action.
pub(super) struct Info<'f> {
    functions: &'f Functions,
    handle: Handle,
}

impl Info<'_> {
    /// Performs an action on `input`; the results and the log are put into `out`.
    pub(super) fn act(
        &self,
        action: Action,
        major: usize,
        input: &DataSet<'_>,
        out: &DataSet<'_>,
    ) -> Result<(), Failure> {
        // SAFETY: all three are live; the library takes references of its own where it keeps them.
        let status = unsafe {
            (self.functions.do_action)(action.number(major), self.handle, input.handle, out.handle)
        };
        self.functions.checked(action.name(), status)
    }
}

impl Drop for Info<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and used by nobody afterwards.
        unsafe { (self.functions.destroy_action_info)(self.handle) };
    }
}
