//! `address-spaces dev new-rule` and `address-spaces dev new-device`: skeletons whose empty parts are reported as
//! errors on loading.

use std::path::{Path, PathBuf};

use generator::files::{KERNELS, RULES};

use super::CommandError;
use crate::device::files;

const RULE: &str = r#"statement = "" # what is required, in our own words

# The properties that vary, with their values; the template spells the values.
[axes]
space = []

# The verdict on each point: the first entry that matches decides; the last has no `when`.
[[expect]]
verdict = "accept"
when = ""

[[expect]]
verdict = "reject"
# The prohibition that these programs violate.
breaks = ""

# The source: the requirements that the rule `covers`, which `address-spaces dev requirements WORD` prints, and the
# sentences, as "DOCUMENT#ANCHOR HASH", which `address-spaces dev clauses` prints.
[source]
clauses = []
"#;

const KERNEL: &str = "\
[# The kernel of one point. Each name at file scope begins with the prefix; the line an error belongs on has the mark. #]
kernel void [< p >]test(global int *out)
{
    *out = 1; /*@*/
}
";

const DEVICE: &str = r#"# A description, in one sentence.
what = ""
# The front end inside, if another device has the same; otherwise use `own-front-end`.
front-end = ""

# The way to reach it: a platform of OpenCL's loader, or `type = "command"` with `command` and `version`.
[device]
type = "opencl"
platform = ""

# The packages that install it: `apt`, `pip`, or `by-hand`.
[install]
by-hand = ""
"#;

/// Writes the skeleton of a rule below `root` and returns the next steps.
pub fn rule(id: &str, root: &Path) -> Result<String, CommandError> {
    let parts: Vec<&str> = id.split('/').collect();
    if parts.len() != 2 || !parts.iter().all(|part| is_name(part)) {
        return Err(CommandError::Usage(format!(
            "`{}` is not a valid name for a rule: write FAMILY/NAME, of lower case letters, digits \
             and `-`",
            id.escape_debug()
        )));
    }
    let rule = root.join(RULES).join(format!("{id}.toml"));
    let kernel = root.join(KERNELS).join(format!("{id}.cl.tera"));
    write(&[(&rule, RULE.to_owned()), (&kernel, KERNEL.to_owned())])?;
    Ok(format!(
        "wrote {}\nwrote {}\nfill them in, then look: address-spaces explain {id}{}\n",
        rule.display(),
        kernel.display(),
        overlay(root)
    ))
}

/// Writes the skeleton of a device file below `root` and returns the next steps.
pub fn device(name: &str, root: &Path) -> Result<String, CommandError> {
    if !is_name(name) {
        return Err(CommandError::Usage(format!(
            "`{}` is not a valid name for a device: use lower case letters, digits, `-` and `.`",
            name.escape_debug()
        )));
    }
    let file = root.join(files::FOLDER).join(format!("{name}.toml"));
    write(&[(&file, DEVICE.to_owned())])?;
    Ok(format!(
        "wrote {}\nfill it in, then try it: address-spaces --device {name} --dialect cl12{}\n",
        file.display(),
        overlay(root)
    ))
}

/// Returns the option that names the folder, where it is not the one of the program's own files.
fn overlay(root: &Path) -> String {
    format!(" --overlay {}", reports::text::shell_word(&root.display().to_string()))
}

fn is_name(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.');
    text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric()) && text.bytes().all(plain)
}

/// Writes new files; nothing is written where one of them exists already.
fn write(files: &[(&PathBuf, String)]) -> Result<(), CommandError> {
    if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
        let message = format!("{} is there already: choose another name", path.display());
        return Err(CommandError::Usage(message));
    }
    for (path, text) in files {
        let failed = |source| CommandError::File { path: path.display().to_string(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        std::fs::write(path, text).map_err(failed)?;
    }
    Ok(())
}
