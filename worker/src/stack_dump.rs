//! Places at which tools of LLVM died, read from the stack that they print themselves, symbolized or not.
//!
//! ```text
//!  #4 0x00007fa0a1b1f364 clang::ASTContext::getExtQualType(clang::Type const*) (/lib/libclang-cpp.so.22.1+0xb1f364)
//! 4  libclang-cpp.so.22.1 0x00007fa0a1b1f364 clang::ASTContext::getExtQualType(clang::Type const*) + 148
//! ```

use crate::fault::is_c_library;

/// Returns the place at which the tool died, in the form that the handler of a driver's faults uses:
/// `libclang-cpp.so.22.1: clang::ASTContext::get`, or, where the library does not export the function, `libpass.so
/// under llvm::CastInst::Create`.
pub(crate) fn place(log: &str) -> Option<String> {
    let start = log.find("Stack dump")?;
    let mut frames = log[start..].lines().filter_map(frame);
    // The handler is above, with the C library's trampoline between it and the fault.
    frames.find(|frame| is_c_library(frame.library))?;
    let frames: Vec<Frame<'_>> = frames.filter(|frame| !is_c_library(frame.library)).collect();
    let first = frames.first()?;
    if let Some(function) = first.function {
        return Some(format!("{}: {}", first.library, without_parameters(function)));
    }
    let caller = frames.iter().find_map(|frame| frame.function)?;
    Some(format!("{} under {}", first.library, without_parameters(caller)))
}

struct Frame<'l> {
    library: &'l str,
    function: Option<&'l str>,
}

fn frame(line: &str) -> Option<Frame<'_>> {
    let (number, rest) = line.trim_start().split_once(' ')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let rest = rest.trim_start();
    if let Some(number) = number.strip_prefix('#') {
        let (address, rest) = rest.split_once(' ')?;
        let (function, file) = rest.rsplit_once('(')?;
        let (file, _) = file.split_once("+0x")?;
        let library = file.rsplit('/').next()?;
        let function = Some(function.trim()).filter(|function| !function.is_empty());
        return (is_number(number) && address.starts_with("0x"))
            .then_some(Frame { library, function });
    }
    let (library, rest) = rest.split_once(' ')?;
    let mut rest = rest.trim_start().splitn(2, ' ');
    let address = rest.next()?;
    let function = rest.next().and_then(|text| text.rsplit_once(" + ")).map(|(name, _)| name);
    (is_number(number) && address.starts_with("0x")).then_some(Frame { library, function })
}

/// Returns a function's name without its parameters, such as `llvm::Foo<int (*)()>::operator()`.
fn without_parameters(function: &str) -> &str {
    let mut depth = 0;
    for (index, character) in function.char_indices() {
        match character {
            '<' if !function[..index].ends_with("operator") => depth += 1,
            '>' if !function[..index].ends_with('-') => depth -= 1,
            '(' if depth == 0
                && !function[..index].ends_with("operator")
                && !function[index..].starts_with("(anonymous namespace)") =>
            {
                return &function[..index];
            }
            _ => {}
        }
    }
    function
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_function_below_the_handler() {
        const PLAIN: &str = "PLEASE submit a bug report\nStack dump:\n0.\tProgram arguments: clang-22 k.cl\n\
            2.\tk.cl:3:13: LLVM IR generation of declaration 'f'\n\
            Stack dump without symbol names (ensure you have llvm-symbolizer in your PATH):\n\
            0  libLLVM.so.22.1      0x00007fa09c098c2a llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) + 58\n\
            2  libLLVM.so.22.1      0x00007fa09c099974\n\
            3  libc.so.6            0x00007fa096c4a6b0\n";
        const NUMBERED: &str = "Stack dump:\n\
            \x20#0 0x00007fa0 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/lib/libLLVM.so.19.1+0xea0)\n\
            \x20#1 0x00007fa1 (/lib/x86_64-linux-gnu/libc.so.6+0x3c050)\n";
        for (dump, expected) in [
            (
                format!(
                    "{PLAIN}4  libclang-cpp.so.22.1 0x00007fa0a1b1f364 clang::ASTContext::getExtQualType(clang::Type const*, clang::Qualifiers) const + 148\n"
                ),
                Some("libclang-cpp.so.22.1: clang::ASTContext::getExtQualType"),
            ),
            (
                format!(
                    "{PLAIN}4  libLLVM.so.22.1 0x00007fa0\n5  libLLVM.so.22.1 0x00007fa1 llvm::PassManager<llvm::Module, llvm::AnalysisManager<llvm::Module>>::run(llvm::Module&) + 327\n"
                ),
                Some(
                    "libLLVM.so.22.1 under llvm::PassManager<llvm::Module, llvm::AnalysisManager<llvm::Module>>::run",
                ),
            ),
            (
                format!(
                    "{NUMBERED} #2 0x00007fa2 (anonymous namespace)::Pass::operator()(int (*)()) const (/lib/libLLVM.so.19.1+0x1f)\n"
                ),
                Some("libLLVM.so.19.1: (anonymous namespace)::Pass::operator()"),
            ),
            (PLAIN.to_owned(), None),
            ("Stack dump:\n #a b\n0 x\n3 libc.so.6 0x1 abort + 36\n".to_owned(), None),
            ("3  libc.so.6 0x1\n4 libx.so 0x2 f + 1\n".to_owned(), None),
        ] {
            assert_eq!(place(&dump).as_deref(), expected, "{dump}");
        }
    }
}
