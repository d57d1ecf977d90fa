//! The screen of a real terminal, narrow and wide: nothing that people read is broken within a word, tables least of
//! all.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails its test")]

use std::{
    process::{Command, Output},
    time::{Duration, Instant},
};

/// tmux, with a server of its own that ends with the test.
struct Terminal {
    socket: String,
}

impl Terminal {
    /// The final screen of a terminal of this many columns in which this was typed.
    fn after(columns: usize, name: &str, command: &str) -> Self {
        let terminal =
            Self { socket: format!("address-spaces-{}-{name}-{columns}", std::process::id()) };
        let typed = format!("{command}; echo \"[ended $?]\"; sleep 60");
        let size = columns.to_string();
        let begun = terminal.tmux(&["new-session", "-d", "-x", &size, "-y", "50", &typed]);
        assert!(begun.status.success(), "tmux: apt-get install tmux; {begun:?}");
        let begun = Instant::now();
        while !terminal.lines(&[]).iter().any(|line| line.starts_with("[ended ")) {
            assert!(begun.elapsed() < Duration::from_mins(2), "{command}");
            std::thread::sleep(Duration::from_millis(50));
        }
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.socket, "-f", "/dev/null"]).args(arguments).output().unwrap()
    }

    /// The visible lines, and those above them.
    fn lines(&self, options: &[&str]) -> Vec<String> {
        let output = self.tmux(&[&["capture-pane", "-p", "-S", "-"], options].concat());
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// Lines that the terminal broke, of a command at 80 and 200 columns: none but those that `may_be_broken`.
fn check(name: &str, arguments: &str, may_be_broken: fn(&str) -> bool) {
    for columns in [80, 200] {
        let command = format!("{} {arguments}", env!("CARGO_BIN_EXE_address-spaces"));
        let terminal = Terminal::after(columns, name, &command);
        // Joined, a line that was broken is longer than the terminal is wide.
        let lines = terminal.lines(&["-J"]);
        let broken = lines.iter().find(|line| {
            line.trim_end().chars().count() > columns && !may_be_broken(line.trim_end())
        });
        assert_eq!(broken, None, "{arguments} at {columns}");
        assert!(lines.iter().any(|line| line == "[ended 0]"), "{lines:#?}");
    }
}

fn never(_: &str) -> bool {
    false
}

/// Ids and addresses stay whole, so that they can be copied.
fn ends_in_a_long_word(line: &str) -> bool {
    line.split(' ').any(|word| word.len() > 40)
}

#[test]
fn tables_fit() {
    check("devices", "devices", never);
    check("families", "explain", never);
    check("rules", "explain conversion", never);
    check("run", "--device checker --rule constant --dialect cl12 --dialect clcpp10", never);
}

#[test]
fn texts_are_folded_between_words() {
    check("rule", "explain constant/write", ends_in_a_long_word);
    check("help", "-h", never);
    let list = "--device checker --rule constant/write --dialect cl12";
    check("list", list, ends_in_a_long_word);
}

#[test]
fn colours_are_for_terminals() {
    let check = |name: &str, behind: &str, is_coloured: bool| {
        let program = env!("CARGO_BIN_EXE_address-spaces");
        let command = format!("{program} --device checker --rule constant/write{behind}");
        let lines = Terminal::after(80, name, &command).lines(&["-e"]);
        let has_colours = lines.iter().any(|line| line.contains("\u{1b}[3"));
        assert_eq!(has_colours, is_coloured, "{command}");
    };
    check("coloured", "", true);
    check("plain", " | cat", false);
}
