//! A real Chromium without a window, driven through its `DevTools` protocol.

use std::{
    collections::VecDeque,
    io::ErrorKind,
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// Nothing a page does here takes this long, even on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// The browser's program, if it is here.
pub(crate) fn chromium() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

/// A browser with one page open.
pub(crate) struct Browser {
    process: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    next: u64,
    events: VecDeque<(String, Value)>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Start the program with an empty profile.
    pub(crate) fn start(program: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new(program);
        command.args([
            "--headless",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--remote-debugging-port=0",
            "about:blank",
        ]);
        if rustix::process::geteuid().is_root() {
            // The sandbox needs a user to fall back to.
            command.arg("--no-sandbox");
        }
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let address = address(&profile.path().join("DevToolsActivePort"));
        let stream = TcpStream::connect(&address.0).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) =
            tungstenite::client(format!("ws://{}{}", address.0, address.1), stream).unwrap();
        let mut browser = Self {
            process,
            socket,
            session: String::new(),
            next: 0,
            events: VecDeque::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached = browser.call(
            "Target.attachToTarget",
            &json!({ "targetId": target["targetId"], "flatten": true }),
        );
        attached["sessionId"].as_str().unwrap().clone_into(&mut browser.session);
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    /// Call a method of the protocol and wait for its answer.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let answer = self.receive();
            if answer["id"] == json!(id) {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.keep(&answer);
        }
    }

    fn receive(&mut self) -> Value {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return serde_json::from_str(&text).unwrap(),
                Ok(_) => {}
                Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("the browser does not answer: {error}"),
            }
        }
    }

    fn keep(&mut self, message: &Value) {
        if let Some(method) = message["method"].as_str() {
            self.events.push_back((method.to_owned(), message["params"].clone()));
        }
    }

    /// Open a file and wait until it is loaded; gives the milliseconds that took, by the page's own clock.
    pub(crate) fn open(&mut self, path: &Path, fragment: &str) -> f64 {
        // A page of the same address would only jump to the fragment.
        self.call("Page.navigate", &json!({ "url": "about:blank" }));
        self.wait_for("Page.loadEventFired");
        let url = format!("file://{}{fragment}", path.display());
        let answer = self.call("Page.navigate", &json!({ "url": url }));
        assert!(answer.get("errorText").is_none(), "{url}: {answer}");
        self.wait_for("Page.loadEventFired");
        self.evaluate("performance.getEntriesByType('navigation')[0].loadEventStart")
            .as_f64()
            .unwrap_or_default()
    }

    /// Wait for an event; those before it stay to be looked at.
    pub(crate) fn wait_for(&mut self, wanted: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.events.iter().position(|(name, _)| name == wanted) {
                self.events.remove(at);
                return;
            }
            assert!(Instant::now() < deadline, "no {wanted}");
            let message = self.receive();
            self.keep(&message);
        }
    }

    /// The value of an expression in the page's language.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let answer = self.call(
            "Runtime.evaluate",
            &json!({ "expression": expression, "returnByValue": true, "awaitPromise": true }),
        );
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Press a key, as a keyboard does.
    pub(crate) fn press(&mut self, key: &str, text: &str) {
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// Everything that went wrong since the last call: exceptions, console errors, dialogs, requests that leave
    /// the file system.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        // An answer comes after every event that was sent before it.
        self.evaluate("0");
        let events = std::mem::take(&mut self.events);
        events.into_iter().filter_map(|(name, event)| complaint(&name, &event)).collect()
    }

    /// The window's size, in the page's pixels.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            &json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 }),
        );
    }

    /// The preference of the user that the system reports: `light` or `dark`.
    pub(crate) fn prefer(&mut self, scheme: &str) {
        self.call(
            "Emulation.setEmulatedMedia",
            &json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] }),
        );
    }

    /// A picture of the page, kept for people to look at.
    pub(crate) fn picture(&mut self, path: &Path) {
        let answer = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let data = answer["data"].as_str().unwrap();
        std::fs::write(path, data_encoding::BASE64.decode(data.as_bytes()).unwrap()).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.socket.close(None);
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Host with port, and path, as the browser writes them once it listens.
fn address(file: &Path) -> (String, String) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Ok(text) = std::fs::read_to_string(file)
            && let Some((port, path)) = text.split_once('\n')
        {
            return (format!("127.0.0.1:{port}"), path.trim().to_owned());
        }
        assert!(Instant::now() < deadline, "the browser does not start");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn complaint(name: &str, event: &Value) -> Option<String> {
    match name {
        "Runtime.exceptionThrown" | "Page.javascriptDialogOpening" => {
            Some(format!("{name}: {event}"))
        }
        "Runtime.consoleAPICalled" if event["type"] == "error" || event["type"] == "warning" => {
            Some(format!("{name}: {event}"))
        }
        "Log.entryAdded" => Some(format!("{name}: {}", event["entry"]["text"])),
        "Network.requestWillBeSent" => {
            let url = event["request"]["url"].as_str().unwrap_or_default();
            let is_local = url.starts_with("file://") || url.starts_with("about:");
            (!is_local).then(|| format!("a request to {url}"))
        }
        _ => None,
    }
}
