//! Certificates and tokens on the command lines of both programs.

use std::path::Path;
use std::time::{Duration, Instant};

use super::authority::{Authority, put};
use super::command::{Run, answers, rows, sprague};
use super::spragued::Server;

const TOKEN: &str = "a-token-of-these-tests";

/// Files of a server and of a client that it lets in, all in one folder.
fn furnish(folder: &Path) {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let (server, client) = (authority.sign(), authority.sign_for("client", 2100));
    let (expired, unknown) = (authority.sign_for("client", 2001), stranger.sign());
    let no_client = authority.sign_with("client", 2100, vec![rcgen::ExtendedKeyUsagePurpose::ServerAuth]);
    let no_server = authority.sign_with("127.0.0.1", 2100, vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth]);
    let expired_server = authority.sign_for("127.0.0.1", 2001);
    for (name, text) in [
        ("no-server.pem", &*no_server.cert),
        ("no-server.key", &no_server.key),
        ("expired-server.pem", &expired_server.cert),
        ("expired-server.key", &expired_server.key),
        ("no-client.pem", &no_client.cert),
        ("no-client.key", &no_client.key),
        ("windows.pem", &format!("\u{FEFF}{}", client.cert.replace('\n', "\r\n"))),
        ("windows.key", &client.key.replace('\n', "\r\n")),
        ("both.pem", &format!("{}{}", client.key, client.cert)),
        ("encrypted.key", &client.key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY")),
        ("ca.pem", &authority.pem),
        ("other-ca.pem", &stranger.pem),
        ("server.pem", &server.cert),
        ("server.key", &server.key),
        ("client.pem", &client.cert),
        ("client.key", &client.key),
        ("expired.pem", &expired.cert),
        ("expired.key", &expired.key),
        ("unknown.pem", &unknown.cert),
        ("unknown.key", &unknown.key),
        ("tokens", TOKEN),
        ("wrong-token", "a-token-of-other-tests"),
        ("no-token", "# none\n"),
    ] {
        put(folder, name, text);
    }
}

/// Arguments, with `@name` standing for a file of the folder.
fn expand(folder: &Path, arguments: &str) -> Vec<String> {
    let expand = |word: &str| match word.strip_prefix('@') {
        Some(name) => folder.join(name).display().to_string(),
        None => word.into(),
    };
    arguments.split_whitespace().map(expand).collect()
}

const GUARD: &str = "--tls-cert @server.pem --tls-key @server.key --client-ca @ca.pem --token-file @tokens";

/// Runs the client on a system that knows one authority only: a stranger's.
fn solve(folder: &Path, server: &str, more: &str, input: &str) -> Run {
    let mut command = sprague(&["solve", "-f", "uva10561", "--retry-for", "5s", "--server", server]);
    command.env("SSL_CERT_FILE", folder.join("other-ca.pem")).env_remove("SSL_CERT_DIR");
    command.args(expand(folder, more)).write_stdin(input).output().unwrap().into()
}

#[test]
fn who_shows_what_is_asked_for_gets_answers_and_nobody_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    furnish(folder);
    let server = Server::start_with("127.0.0.1:0", &expand(folder, GUARD));
    let address = format!("https://{}", server.address);
    let input = rows(300);
    let all = "--ca @ca.pem --cert @client.pem --key @client.key --token-file @tokens";
    let done = solve(folder, &address, all, &input);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(done.out == answers(&input));

    for (shown, code, said) in [
        ("--cert @client.pem --key @client.key --token-file @tokens", 77, "; --ca names the authority"),
        ("--ca @other-ca.pem --cert @client.pem --key @client.key --token-file @tokens", 77, "cannot be trusted"),
        (
            "--ca @ca.pem --token-file @tokens",
            77,
            "does not let this client in: received fatal alert: CertificateRequired",
        ),
        (
            "--ca @ca.pem --cert @unknown.pem --key @unknown.key --token-file @tokens",
            77,
            "does not let this client in: received fatal alert: ",
        ),
        (
            "--ca @ca.pem --cert @expired.pem --key @expired.key --token-file @tokens",
            77,
            "does not let this client in: received fatal alert: ",
        ),
        (
            "--ca @ca.pem --cert @no-client.pem --key @no-client.key --token-file @tokens",
            77,
            "UnsupportedCertificate; is its certificate one for clients? Make it with extendedKeyUsage=clientAuth\n",
        ),
        (
            "--ca @ca.pem --cert @client.pem --key @encrypted.key",
            2,
            "encrypted.key holds an encrypted private key: write a decrypted one with `openssl pkey -in FILE -out KEY`\n",
        ),
        (
            "--ca @ca.pem --cert @client.pem --key @expired.key",
            2,
            "TLS cannot be set up: the client's certificate does not go with its private key",
        ),
        (
            "--ca @ca.pem --cert @client.pem --key @client.key",
            77,
            "asks for a bearer token: `authorization: Bearer TOKEN` (UNAUTHENTICATED); --token-file names it",
        ),
        (
            "--ca @ca.pem --cert @client.pem --key @client.key --token-file @wrong-token",
            77,
            "is not one of this server's",
        ),
        ("--ca @ca.pem --cert @client.pem --token-file @tokens", 2, "--key <FILE>"),
        ("--ca @ca.pem --cert @client.pem --key @client.key --token-file @no-token", 2, "holds no token"),
        (
            "--ca @ca.pem --cert @client.pem --key @client.pem --token-file @tokens",
            2,
            "client.pem holds no private key",
        ),
        (
            "--ca @ca.pem --cert @client.key --key @client.key --token-file @tokens",
            2,
            "client.key holds no certificate",
        ),
        ("--ca @tokens", 2, "tokens holds no certificate in PEM form"),
        ("--ca @missing.pem", 74, "missing.pem cannot be read"),
    ] {
        let begun = Instant::now();
        let done = solve(folder, &address, shown, &input);
        // Nothing is gained by trying again for the five seconds that there are.
        assert!(begun.elapsed() < Duration::from_secs(4), "{shown}: {}", done.err);
        assert_eq!(done.code, Some(code), "{shown}: {}", done.err);
        assert!(done.err.contains(said) && done.out.is_empty(), "{shown}: {}", done.err);
    }
    for shown in ["--cert @windows.pem --key @windows.key", "--cert @both.pem --key @both.pem"] {
        let done = solve(folder, &address, &format!("--ca @ca.pem {shown} --token-file @tokens"), &input);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{shown}");
    }
    let clear = solve(folder, &server.address, "--token-file @tokens", &input);
    assert_eq!(clear.code, Some(69), "{}", clear.err);
    assert!(clear.err.contains("if it speaks TLS, write https://"), "{}", clear.err);
}

#[test]
fn the_environment_can_say_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let server = Server::start_with("127.0.0.1:0", &expand(folder.path(), GUARD));
    let mut command = sprague(&["info"]);
    command.env("SPRAGUE_SERVER", format!("https://{}", server.address));
    for (name, file) in [("CA", "ca.pem"), ("CERT", "client.pem"), ("KEY", "client.key"), ("TOKEN_FILE", "tokens")] {
        command.env(format!("SPRAGUE_{name}"), folder.path().join(file));
    }
    let done = Run::from(command.output().unwrap());
    assert_eq!(done.code, Some(0), "{}", done.err);
}

#[test]
fn a_token_is_not_sent_over_a_network_in_the_clear() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    // An address of the documentation range: nobody is there, and nobody is asked.
    let refused = solve(folder.path(), "192.0.2.1:1", "--token-file @tokens", "");
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("would go to 192.0.2.1:1 unencrypted"), "{}", refused.err);
}

#[test]
fn beyond_this_machine_the_server_wants_tls_or_to_be_told() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let refused = super::spragued::run(&["--listen", "0.0.0.0:0"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("refuses to listen on 0.0.0.0:0 in the clear"), "{}", refused.err);
    // A token does not make the wire safe.
    let tokens = expand(folder.path(), "--listen 0.0.0.0:0 --token-file @tokens");
    assert_eq!(super::spragued::run(&tokens).code, Some(2));
    let server = Server::start_with("0.0.0.0:0", &expand(folder.path(), GUARD));
    assert!(server.address.starts_with("0.0.0.0:"));
}

#[test]
fn files_that_cannot_be_used_are_named_before_anything_is_served() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    for (arguments, code, said) in [
        ("--tls-cert @server.pem", 2, "--tls-key <FILE>"),
        ("--client-ca @ca.pem", 2, "--tls-cert <FILE>"),
        ("--tls-cert @server.key --tls-key @server.key", 2, "server.key: holds no certificate in PEM form"),
        ("--tls-cert @server.pem --tls-key @server.pem", 2, "server.pem: holds no private key in PEM form"),
        ("--tls-cert @server.pem --tls-key @client.key", 2, "server.pem: does not go with "),
        (
            "--tls-cert @client.pem --tls-key @encrypted.key",
            2,
            "encrypted.key: holds an encrypted private key: write a",
        ),
        (
            "--tls-cert @server.pem --tls-key @server.key --client-ca @tokens",
            2,
            "tokens: holds no certificate in PEM form",
        ),
        ("--token-file @no-token", 2, "no-token: holds no token"),
        ("--token-file @missing", 74, "missing cannot be read: No such file"),
        ("--tls-cert @missing --tls-key @server.key", 74, "missing cannot be read: No such file"),
        ("--tls-cert @server.pem --tls-key @missing", 74, "missing cannot be read: No such file"),
        ("--tls-cert @server.pem --tls-key @server.key --client-ca @missing", 74, "missing cannot be read"),
    ] {
        let refused = super::spragued::run(&expand(folder.path(), arguments));
        assert_eq!(refused.code, Some(code), "{arguments}: {}", refused.err);
        assert!(refused.err.contains(said) && refused.out.is_empty(), "{arguments}: {}", refused.err);
    }
}

#[test]
fn nothing_secret_is_logged_or_printed() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let names = ["server.key", "client.key", "server.pem", "client.pem", "ca.pem", "tokens", "wrong-token"];
    let files = names.map(|name| std::fs::read_to_string(folder.path().join(name)).unwrap());
    let secrets: Vec<&str> =
        files.iter().flat_map(|file| file.lines()).filter(|line| !line.starts_with("---")).collect();
    assert!(secrets.len() > names.len() && secrets.iter().all(|line| !line.is_empty()), "{secrets:?}");
    let secrets = |text: &str| secrets.iter().copied().find(|secret| text.contains(secret));
    let config = super::spragued::run(&expand(folder.path(), &format!("{GUARD} --print-config")));
    assert!(config.out.contains("token-file = ") && config.out.contains("client-ca = "), "{}", config.out);
    assert_eq!(secrets(&config.out), None);

    let log = folder.path().join("log");
    let mut arguments = expand(folder.path(), GUARD);
    arguments.extend(["--log".into(), "trace".into()]);
    let server = Server::start_logging(&arguments, &log);
    let address = format!("https://{}", server.address);
    for token in ["tokens", "wrong-token"] {
        let shown = format!("--ca @ca.pem --cert @client.pem --key @client.key -vv --token-file @{token}");
        let done = solve(folder.path(), &address, &shown, &rows(10));
        assert_eq!(secrets(&done.err), None, "{}", done.err);
    }
    drop(server);
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("started"), "{log}");
    assert_eq!(secrets(&log), None, "{log}");
}

#[test]
fn a_hangup_has_the_files_read_again() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let server = Server::start_with("127.0.0.1:0", &expand(folder.path(), "--token-file @tokens"));
    let allowed = |file: &str| solve(folder.path(), &server.address, &format!("--token-file @{file}"), "1\n...\n").code;
    assert_eq!((allowed("tokens"), allowed("wrong-token")), (Some(0), Some(77)));
    std::fs::copy(folder.path().join("wrong-token"), folder.path().join("tokens")).unwrap();
    server.signal(rustix::process::Signal::HUP);
    for attempt in 0.. {
        if allowed("wrong-token") == Some(0) {
            break;
        }
        assert!(attempt < 100, "the new token is not known");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_server_with_a_wrong_certificate_is_not_trusted_and_the_reason_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    furnish(folder);
    for (certificate, said) in [
        ("client", "certificate not valid for name \"127.0.0.1\""),
        ("expired-server", "certificate expired: "),
        ("no-server", "; make the server's certificate with extendedKeyUsage=serverAuth\n"),
    ] {
        let guard = format!("--tls-cert @{certificate}.pem --tls-key @{certificate}.key");
        let server = Server::start_with("127.0.0.1:0", &expand(folder, &guard));
        let done = solve(folder, &format!("https://{}", server.address), "--ca @ca.pem", "1\n...\n");
        assert_eq!(done.code, Some(77), "{certificate}: {}", done.err);
        assert!(done.err.contains("cannot be trusted") && done.err.contains(said), "{certificate}: {}", done.err);
        assert!(!done.err.contains("--ca names"), "{}", done.err);
    }
}
