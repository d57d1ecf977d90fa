//! Places at which drivers died: the handler of fatal signals writes them into the log, and here they are read from it.
//!
//! The handler leaves a line for each function that was running, the innermost first:
//!
//! ```text
//! [SIGSEGV] in libLLVM-15.so.1+0x8a1c20: _ZN4llvm8CastInst6CreateEv
//! [SIGSEGV] by libRusticlOpenCL.so.1+0x2f310
//! ```
//!
//! Offsets count from where the library is loaded, names are those it exports: the same in every process.

#![expect(
    unsafe_code,
    reason = "handlers of signals and what they look at belong to the C library"
)]

use std::{
    ffi::{CStr, c_int, c_void},
    fmt::{self, Write as _},
    io, mem, ptr,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use cpp_demangle::{DemangleOptions, Symbol};

/// Signals that a fault raises. `abort` is not among them: its caller has printed the reason.
const SIGNALS: [(c_int, &str); 4] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGFPE, "SIGFPE"),
];
/// Largest number of functions in the report of a fault.
const FRAMES: usize = 24;
/// Size of the stack of the handler, in bytes.
const STACK: usize = 1 << 16;
/// Bytes of a line.
const LINE: usize = 1024;
/// Libraries in which a fault is their caller's. Which of their functions it is also differs with the processor.
const C_LIBRARY: [&str; 7] =
    ["ld-", "ld.", "libc.", "libgcc_s.", "libm.", "libpthread.", "libstdc++."];

/// Previous handlers of the signals, by index in [`SIGNALS`].
static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

/// Returns the place at which, by the log, the driver died of this signal: `libLLVM-15.so.1:
/// llvm::CastInst::Create`, or, where the library does not export the function, `libpass.so+0x1f20 under
/// llvm::CastInst::Create`.
pub(crate) fn place(log: &str, signal: &str) -> Option<String> {
    let mark = format!("[{signal}] ");
    let lines: Vec<&str> = log.lines().filter_map(|line| line.strip_prefix(&mark)).collect();
    // A process that the driver started may have died before.
    let first = lines.iter().rposition(|line| line.starts_with("in "))?;
    let places: Vec<&str> = lines[first..].iter().filter_map(|line| line.get(3..)).collect();
    let is_telling = |place: &&&str| !is_c_library(place);
    let place = *places.iter().find(is_telling).or(places.first())?;
    let symbol = |place: &&str| place.split_once(": ").map(|(_, symbol)| readable(symbol));
    if let Some(symbol) = symbol(&place) {
        return Some(format!("{}: {symbol}", library(place)));
    }
    // Another build has other offsets, and the same names.
    let caller = places.iter().filter(is_telling).find_map(symbol);
    Some(caller.map_or_else(|| place.to_owned(), |caller| format!("{place} under {caller}")))
}

/// Whether a place is in a library in which a fault is its caller's.
pub(crate) fn is_c_library(place: &str) -> bool {
    C_LIBRARY.iter().any(|library| place.starts_with(library))
}

/// Whether a line of a log was written by the handler.
pub(crate) fn is_told(line: &str) -> bool {
    line.strip_prefix('[').is_some_and(|rest| {
        SIGNALS
            .iter()
            .any(|(_, name)| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with("] ")))
    })
}

/// Whether the handler reports this signal.
pub(crate) fn is_fault(signal: c_int) -> bool {
    SIGNALS.iter().any(|&(known, _)| known == signal)
}

/// Returns the library of a place: `libLLVM-15.so.1` for `libLLVM-15.so.1+0x8a1c20`, also where more follows.
pub(crate) fn library(place: &str) -> &str {
    let end = place.find("+0x").or_else(|| place.find(": ")).unwrap_or(place.len());
    &place[..end]
}

/// Returns a function's name without its parameters.
fn readable(symbol: &str) -> String {
    let options = DemangleOptions::new().no_params().no_return_type();
    let name = Symbol::new(symbol)
        .ok()
        .and_then(|name| name.demangle_with_options(&options).ok())
        .unwrap_or_else(|| symbol.to_owned());
    // Rust has a hash of the build behind it.
    match name.rsplit_once("::h") {
        Some((name, hash))
            if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
        {
            name.to_owned()
        }
        _ => name,
    }
}

/// Installs a handler that reports every fault of this process on standard error and then lets the process die as
/// before.
///
/// A driver may install its own handler over this one; when that handler removes itself, this one is called again. The
/// calling thread gets a second stack, on which overflows of the first are reported. Other threads have the stacks that
/// they were started with; without a second one they die without a report.
pub(crate) fn tell_faults() -> io::Result<()> {
    let result = |code| if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) };
    let memory = vec![0_u8; STACK].leak();
    let stack = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK };
    // SAFETY: the memory is never freed.
    result(unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) })?;
    // SAFETY: zeros are the default action and an empty mask.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    let mut before = [action; SIGNALS.len()];
    for ((signal, _), before) in SIGNALS.iter().zip(&mut before) {
        // SAFETY: both belong to this function. A fault of the handler's own ends the process.
        unsafe {
            result(libc::sigaction(*signal, ptr::null(), before))?;
            result(libc::sigaddset(&raw mut action.sa_mask, *signal))?;
        }
    }
    if BEFORE.set(before).is_err() {
        return Ok(());
    }
    action.sa_sigaction = tell as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    for (signal, _) in SIGNALS {
        // SAFETY: the handler has the parameters that the flags promise.
        result(unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) })?;
    }
    Ok(())
}

/// Handles a fatal signal. The handler allocates no memory; `dladdr` waits for a thread that is loading a library
/// meanwhile.
extern "C" fn tell(signal: c_int, info: *mut libc::siginfo_t, state: *mut c_void) {
    static IS_TOLD: AtomicBool = AtomicBool::new(false);
    let known = SIGNALS.iter().position(|&(number, _)| number == signal);
    let (Some(index), Some(before)) = (known, BEFORE.get()) else { return };
    while IS_TOLD.swap(true, Ordering::Relaxed) {
        // Another thread has died of the same and speaks for both.
        // SAFETY: waiting needs nothing.
        unsafe { libc::pause() };
    }
    // SAFETY: the kernel describes each signal; the sender is given beside a code below 1.
    let (is_sent, address, sender) = unsafe {
        let is_sent = (*info).si_code <= 0;
        (is_sent, (*info).si_addr() as usize, if is_sent { (*info).si_pid() } else { 0 })
    };
    // SAFETY: it is the state that goes with the signal.
    let at = unsafe { interrupted(state) };
    let mut walk = Walk { name: SIGNALS[index].1, from: at.map(|at| at.instruction), told: 0 };
    match at {
        // SAFETY: asking for the own number needs nothing.
        _ if is_sent && sender != unsafe { libc::getpid() } => {}
        // A call of what is not a function: nothing to unwind, but who called left the way back. Other signals have the
        // address of the instruction in any case.
        Some(at)
            if [libc::SIGSEGV, libc::SIGBUS].contains(&signal)
                && !is_sent
                && at.instruction == address =>
        {
            walk.tell(at.way_back.wrapping_sub(1));
        }
        _ => {
            // SAFETY: the walk outlives the call, and `frame` takes it back as what it is.
            unsafe { _Unwind_Backtrace(frame, (&raw mut walk).cast()) };
            if let Some(at) = at.filter(|_| walk.told == 0) {
                walk.tell(at.instruction);
            }
        }
    }
    let mut then = before[index];
    if is_sent {
        then.sa_sigaction = libc::SIG_DFL;
    }
    // SAFETY: the action was in force, or is the default. The fault is repeated when this returns; what was sent is
    // sent again and waits until then.
    unsafe {
        libc::sigaction(signal, &raw const then, ptr::null_mut());
        if is_sent {
            libc::raise(signal);
        }
    }
}

/// Position of an interrupted thread.
#[derive(Clone, Copy)]
struct InterruptedThread {
    instruction: usize,
    /// Return address, if the thread is at the first instruction of a function.
    way_back: usize,
}

/// Returns the position of the interrupted thread from the state that a handler receives.
#[cfg(target_arch = "x86_64")]
#[expect(clippy::unnecessary_wraps, reason = "other processors have none")]
unsafe fn interrupted(state: *mut c_void) -> Option<InterruptedThread> {
    // SAFETY: the caller's.
    let registers = unsafe { &(*state.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let stack = registers[libc::REG_RSP as usize].cast_unsigned() as usize;
    let mut way_back = 0_usize;
    let to = libc::iovec { iov_base: (&raw mut way_back).cast(), iov_len: size_of::<usize>() };
    let from = libc::iovec { iov_base: stack as *mut c_void, iov_len: size_of::<usize>() };
    // SAFETY: it fails where nothing can be read.
    unsafe { libc::process_vm_readv(libc::getpid(), &raw const to, 1, &raw const from, 1, 0) };
    let instruction = registers[libc::REG_RIP as usize].cast_unsigned() as usize;
    Some(InterruptedThread { instruction, way_back })
}

/// Returns the position of the interrupted thread from the state that a handler receives.
#[cfg(target_arch = "aarch64")]
#[expect(clippy::unnecessary_wraps, reason = "other processors have none")]
unsafe fn interrupted(state: *mut c_void) -> Option<InterruptedThread> {
    // SAFETY: the caller's.
    let registers = unsafe { &(*state.cast::<libc::ucontext_t>()).uc_mcontext };
    Some(InterruptedThread {
        instruction: registers.pc as usize,
        way_back: registers.regs[30] as usize,
    })
}

/// Returns nothing: on other processors the unwinder knows the position.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
unsafe fn interrupted(_: *mut c_void) -> Option<InterruptedThread> {
    None
}

/// A walk through the functions that were running.
struct Walk {
    name: &'static str,
    /// The instruction it begins at.
    from: Option<usize>,
    /// Lines written.
    told: usize,
}

impl Walk {
    /// Writes a line about the function that holds this instruction. Returns whether the next function is of interest.
    fn tell(&mut self, instruction: usize) {
        let mut line = Line { bytes: [0; LINE], length: 0 };
        let word = if self.told == 0 { "in" } else { "by" };
        let _ = write!(line, "[{}] {word} ", self.name);
        let _ = match Place::of(instruction) {
            None => line.write_str("generated code"),
            Some(place) if place.is_worker() => line.write_str("the worker"),
            Some(place) => write!(line, "{place}"),
        };
        line.length = line.length.min(LINE - 1);
        line.bytes[line.length] = b'\n';
        // SAFETY: this many bytes are there.
        unsafe { libc::write(libc::STDERR_FILENO, line.bytes.as_ptr().cast(), line.length + 1) };
        self.told += 1;
    }
}

/// Handles one function for the unwinder, which passes the innermost first.
extern "C" fn frame(context: *mut c_void, walk: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const END: c_int = 5;
    let mut is_interrupted = 0;
    // SAFETY: the context is the unwinder's, the walk the handler's, who waits.
    let (next, walk) =
        unsafe { (_Unwind_GetIPInfo(context, &raw mut is_interrupted), &mut *walk.cast::<Walk>()) };
    if next == 0 && walk.told > 0 {
        return END;
    }
    let instruction = if walk.told > 0 {
        // A way back may be the first instruction of another function.
        next.wrapping_sub(usize::from(is_interrupted == 0))
    } else if walk.from.map_or(is_interrupted != 0, |from| from == next) {
        next
    } else {
        return GO_ON;
    };
    walk.tell(instruction);
    let is_worker = Place::of(instruction).is_some_and(|place| place.is_worker());
    if is_worker || walk.told == FRAMES { END } else { GO_ON }
}

unsafe extern "C" {
    /// Walks the stack; a function of the run time that every program of Rust is linked with.
    fn _Unwind_Backtrace(
        frame: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIPInfo(context: *mut c_void, is_interrupted: *mut c_int) -> usize;
}

/// An instruction in a library or a program.
struct Place(libc::Dl_info, usize);

impl Place {
    fn of(instruction: usize) -> Option<Self> {
        // SAFETY: zeros are null pointers.
        let mut info: libc::Dl_info = unsafe { mem::zeroed() };
        // SAFETY: any address may be asked for.
        let is_known = unsafe { libc::dladdr(instruction as *const c_void, &raw mut info) } != 0;
        (is_known && !info.dli_fname.is_null()).then_some(Self(info, instruction))
    }

    /// Whether it is code of this program.
    fn is_worker(&self) -> bool {
        Self::of(tell_faults as fn() -> io::Result<()> as usize)
            .is_some_and(|own| own.0.dli_fbase == self.0.dli_fbase)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(info, instruction) = self;
        // SAFETY: the library's path, which the dynamic linker keeps.
        let path = unsafe { CStr::from_ptr(info.dli_fname) }.to_str().unwrap_or("a library");
        let name = path.rsplit('/').next().unwrap_or(path);
        write!(f, "{name}+{:#x}", instruction.wrapping_sub(info.dli_fbase as usize))?;
        if info.dli_sname.is_null() {
            return Ok(());
        }
        // SAFETY: a name in the library's table.
        write!(f, ": {}", unsafe { CStr::from_ptr(info.dli_sname) }.to_str().unwrap_or("?"))
    }
}

/// Text that takes no memory, cut where it is too long.
struct Line {
    bytes: [u8; LINE],
    length: usize,
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let count = text.len().min(LINE - self.length);
        self.bytes[self.length..self.length + count].copy_from_slice(&text.as_bytes()[..count]);
        self.length += count;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_the_innermost_that_is_not_the_c_library() {
        for (log, expected) in [
            (
                "PLEASE submit\n[SIGSEGV] in libc.so.6+0x15ac53\n\
                 [SIGSEGV] by libLLVM-15.so.1+0x8a1c20: _ZN4llvm8CastInst6CreateEPKciRNS_4TypeE\n",
                Some("libLLVM-15.so.1: llvm::CastInst::Create"),
            ),
            (
                "[SIGSEGV] in libx.so+0x1f\n[SIGSEGV] by libc.so.6+0x2: f\n[SIGSEGV] by libx.so+0x3\n\
                 [SIGSEGV] by libx.so+0x4: _ZN3nir4pass17h174d5020017a699aE\n",
                Some("libx.so+0x1f under nir::pass"),
            ),
            ("[SIGSEGV] in libx.so+0x1f\n[SIGSEGV] by the worker\n", Some("libx.so+0x1f")),
            ("[SIGSEGV] in libx.so+0x1f: _Zz\n", Some("libx.so: _Zz")),
            (
                "[SIGSEGV] in generated code\n[SIGSEGV] by libx.so+0x2: run\n",
                Some("generated code under run"),
            ),
            ("[SIGSEGV] in libc.so.6+0x2: raise\n", Some("libc.so.6: raise")),
            // A process before this one, another signal, nothing.
            ("[SIGSEGV] in a.so+0x1\n[SIGSEGV] in b.so+0x2\n", Some("b.so+0x2")),
            ("[SIGBUS] in a.so+0x1\n", None),
            ("[SIGSEGV] by a.so+0x1\n", None),
            ("", None),
        ] {
            assert_eq!(place(log, "SIGSEGV").as_deref(), expected, "{log}");
        }
        for (line, expected) in
            [("[SIGBUS] in a.so", true), ("[SIGBUS]", false), ("SIGBUS] in", false)]
        {
            assert_eq!(is_told(line), expected, "{line}");
        }
        assert_eq!(library("libx.so+0x1f: f"), "libx.so");
        assert_eq!(library("libx.so: f"), "libx.so");
    }
}
