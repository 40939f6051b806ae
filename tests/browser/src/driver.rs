//! The WebDriver protocol, as much of it as is needed: JSON over plain HTTP to a chromedriver of our own.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A chromedriver with one session.
pub(crate) struct Driver {
    process: Child,
    port: u16,
    session: String,
}

/// Why the driver did not do as told: WebDriver's error code and what it said.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) message: String,
}

impl Driver {
    /// Starts a chromedriver on a port that it chooses, and a session with these capabilities.
    pub(crate) fn start(capabilities: &Value) -> Driver {
        let program = std::env::var_os("CHROMEDRIVER").unwrap_or_else(|| "chromedriver".into());
        let mut process = Command::new(&program)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|e| panic!("{program:?} could not be started: {e}; `cargo xtask test` installs it"));
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let port = loop {
            let mut line = String::new();
            let read = output.read_line(&mut line).unwrap_or(0);
            assert!(read > 0, "{program:?} ended before it said its port");
            if let Some((_, rest)) = line.split_once("started successfully on port ") {
                break rest.trim().trim_end_matches('.').parse().expect("a port");
            }
        };
        // A full pipe would stop it.
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        let mut driver = Driver { process, port, session: String::new() };
        let answer = driver.send("POST", "/session", Some(capabilities));
        let answer = answer.unwrap_or_else(|refusal| panic!("Chromium does not start: {}", refusal.message));
        driver.session = answer["sessionId"].as_str().expect("a session").to_owned();
        driver
    }

    /// A command of the session with a body.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value, Refusal> {
        self.send("POST", &format!("/session/{}{path}", self.session), Some(body))
    }

    /// A question to the session.
    pub(crate) fn get(&self, path: &str) -> Result<Value, Refusal> {
        self.send("GET", &format!("/session/{}{path}", self.session), None)
    }

    /// A command of the session that takes something away.
    pub(crate) fn delete(&self, path: &str) -> Result<Value, Refusal> {
        self.send("DELETE", &format!("/session/{}{path}", self.session), None)
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, Refusal> {
        let broken = |message: String| Refusal { code: "no connection".into(), message };
        let (status, text) = exchange(self.port, method, path, body)
            .map_err(|e| broken(format!("chromedriver does not answer: {e}")))?;
        let mut answer: Value =
            serde_json::from_str(&text).map_err(|e| broken(format!("chromedriver gave no JSON ({e}): {text}")))?;
        let value = answer["value"].take();
        match status {
            200 => Ok(value),
            _ => Err(Refusal {
                code: value["error"].as_str().unwrap_or_default().to_owned(),
                message: value["message"].as_str().unwrap_or_default().lines().next().unwrap_or_default().to_owned(),
            }),
        }
    }
}

fn exchange(port: u16, method: &str, path: &str, body: Option<&Value>) -> std::io::Result<(u16, String)> {
    let body = body.map(Value::to_string).unwrap_or_default();
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let bad = || std::io::Error::other("not an answer in HTTP");
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).ok_or_else(bad)?;
    let mut length = None;
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let header = line.trim_end();
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let mut bytes = Vec::new();
    match length {
        Some(length) => {
            bytes.resize(length, 0);
            reader.read_exact(&mut bytes)?;
        }
        None => {
            reader.read_to_end(&mut bytes)?;
        }
    }
    Ok((status, String::from_utf8_lossy(&bytes).into_owned()))
}

impl Drop for Driver {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // Ends Chromium; killing its driver alone would leave it behind.
            let _ = self.send("DELETE", &format!("/session/{}", self.session), Some(&json!({})));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
