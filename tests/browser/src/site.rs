//! A static file server, as plain as the hosts that the site has to work on.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The content security policy that the site holds to.
pub const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'";

/// A site to serve. It is served until it is dropped.
pub struct Site {
    shared: Arc<Shared>,
    port: u16,
}

struct Shared {
    folder: PathBuf,
    prefix: String,
    policy: Option<String>,
    pages: BTreeMap<String, String>,
    line: Option<Line>,
    down: AtomicBool,
    closed: AtomicBool,
}

/// A site that is not served yet.
pub struct Builder {
    folder: PathBuf,
    prefix: String,
    policy: Option<String>,
    pages: BTreeMap<String, String>,
    line: Option<Line>,
}

/// A connection as people have it: all requests share its bytes per second, and each answer takes a while to begin.
struct Line {
    bytes_per_second: f64,
    delay: Duration,
    /// When all that was sent until now has arrived.
    free: Mutex<Instant>,
}

impl Line {
    /// Waits until so many bytes more have gone over the line.
    fn carry(&self, bytes: usize) {
        let until = {
            let mut free = self.free.lock().expect("nobody panics here");
            *free = (*free).max(Instant::now()) + Duration::from_secs_f64(bytes as f64 / self.bytes_per_second);
            *free
        };
        std::thread::sleep(until.saturating_duration_since(Instant::now()));
    }
}

impl Site {
    /// The site as built in `dist/`, at `/`, with its content security policy as a header.
    ///
    /// # Panics
    /// If it is not built.
    pub fn built() -> Builder {
        let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dist");
        assert!(
            dist.join("index.html").exists(),
            "there is no site in dist/: build it with `cargo xtask build`, or run `cargo xtask test`"
        );
        Site::folder(&dist)
    }

    /// Any folder, in the same way.
    pub fn folder(folder: &Path) -> Builder {
        Builder {
            folder: folder.to_owned(),
            prefix: String::new(),
            policy: Some(POLICY.to_owned()),
            pages: BTreeMap::new(),
            line: None,
        }
    }

    /// The address of a path that starts with `/`, under the site's prefix.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{}{path}", self.port, self.shared.prefix)
    }

    /// Takes the site off the net, or puts it back: a browser without connection.
    pub fn set_down(&self, down: bool) {
        self.shared.down.store(down, Ordering::SeqCst);
    }
}

impl Builder {
    /// Serves under a prefix such as `/a/b.js`, and nothing elsewhere.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Builder {
        self.prefix = prefix.trim_end_matches('/').to_owned();
        self
    }

    /// Sends another content security policy, or none.
    #[must_use]
    pub fn policy(mut self, policy: Option<&str>) -> Builder {
        self.policy = policy.map(str::to_owned);
        self
    }

    /// Serves a page of the test's own beside the site, without a policy: one that embeds it, say.
    #[must_use]
    pub fn page(mut self, path: &str, html: &str) -> Builder {
        self.pages.insert(path.to_owned(), html.to_owned());
        self
    }

    /// Serves it over a line of so many bits per second, where each answer begins after a delay. A file that lies beside as `.br` is sent
    /// compressed.
    #[must_use]
    pub fn line(mut self, bits_per_second: f64, delay: Duration) -> Builder {
        self.line = Some(Line { bytes_per_second: bits_per_second / 8.0, delay, free: Mutex::new(Instant::now()) });
        self
    }

    /// Serves it on a free port of this machine.
    pub fn serve(self) -> Site {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("a bound port").port();
        let shared = Arc::new(Shared {
            folder: self.folder,
            prefix: self.prefix,
            policy: self.policy,
            pages: self.pages,
            line: self.line,
            down: AtomicBool::new(false),
            closed: AtomicBool::new(false),
        });
        let site = Site { shared: Arc::clone(&shared), port };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.closed.load(Ordering::SeqCst) {
                    break;
                }
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.answer(stream));
            }
        });
        site
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        // Wakes the listener, so that it sees it.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Shared {
    /// Answers one request; a browser that goes away is no matter.
    fn answer(&self, mut stream: TcpStream) -> Option<()> {
        if self.down.load(Ordering::SeqCst) {
            return None;
        }
        let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
        let request = lines.next()?.ok()?;
        // Read to the end of the headers, or closing would cut the answer off.
        let mut brotli = false;
        loop {
            let line = lines.next()?.ok()?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            brotli |= line.strip_prefix("accept-encoding:").is_some_and(|encodings| encodings.contains("br"));
        }
        let mut words = request.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        let path = target.split(['?', '#']).next()?;

        let mut headers = vec!["Connection: close".to_owned(), "Cache-Control: no-cache".to_owned()];
        let (status, kind, body) = if let Some(html) = self.pages.get(path) {
            ("200 OK", "text/html; charset=utf-8", html.clone().into_bytes())
        } else {
            if let Some(policy) = &self.policy {
                headers.push(format!("Content-Security-Policy: {policy}"));
            }
            match self.file(path, brotli && self.line.is_some()) {
                Some(Found::File(kind, bytes)) => ("200 OK", kind, bytes),
                Some(Found::Compressed(kind, bytes)) => {
                    headers.push("Content-Encoding: br".to_owned());
                    ("200 OK", kind, bytes)
                }
                Some(Found::Folder) => {
                    headers.push(format!("Location: {path}/"));
                    ("301 Moved Permanently", "text/plain", Vec::new())
                }
                None => ("404 Not Found", "text/plain", b"not found\n".to_vec()),
            }
        };
        headers.push(format!("Content-Type: {kind}"));
        headers.push(format!("Content-Length: {}", body.len()));
        if let Some(line) = &self.line {
            std::thread::sleep(line.delay);
        }
        write!(stream, "HTTP/1.1 {status}\r\n{}\r\n\r\n", headers.join("\r\n")).ok()?;
        if method != "HEAD" {
            for piece in body.chunks(PIECE) {
                if let Some(line) = &self.line {
                    line.carry(piece.len());
                }
                stream.write_all(piece).ok()?;
            }
        }
        stream.flush().ok()
    }

    fn file(&self, path: &str, brotli: bool) -> Option<Found> {
        let inner = path.strip_prefix(&self.prefix)?;
        if inner.is_empty() {
            return Some(Found::Folder);
        }
        let inner = inner.strip_prefix('/')?;
        if inner.split('/').any(|part| part == "..") {
            return None;
        }
        let mut file = self.folder.join(inner);
        if inner.is_empty() || inner.ends_with('/') {
            file.push("index.html");
        } else if file.is_dir() {
            return Some(Found::Folder);
        }
        let kind = match file.extension().and_then(|e| e.to_str()) {
            Some("html") => "text/html; charset=utf-8",
            Some("js" | "mjs") => "text/javascript; charset=utf-8",
            Some("wasm") => "application/wasm",
            Some("css") => "text/css; charset=utf-8",
            Some("json" | "map") => "application/json",
            Some("svg") => "image/svg+xml",
            Some("png") => "image/png",
            Some("ico") => "image/x-icon",
            Some("woff2") => "font/woff2",
            Some("webmanifest") => "application/manifest+json",
            _ => "application/octet-stream",
        };
        if brotli && let Ok(bytes) = std::fs::read(format!("{}.br", file.display())) {
            return Some(Found::Compressed(kind, bytes));
        }
        Some(Found::File(kind, std::fs::read(&file).ok()?))
    }
}

/// How many bytes go over a line at once.
const PIECE: usize = 16 << 10;

enum Found {
    File(&'static str, Vec<u8>),
    Compressed(&'static str, Vec<u8>),
    Folder,
}
