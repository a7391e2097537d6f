import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Certificates } from "./certificates.ts";
import { freePort } from "./free-port.ts";
import type { RunningServer } from "./mariadb.ts";

/** How to reach the server, and what `mail-account.ts` needs to look at it from the side. */
export interface DovecotAccess {
  /** Plain, with STARTTLS offered. */
  readonly port: number;
  readonly tlsPort: number;
  /** Every name has a mailbox with this password; it is made when it is first used. */
  readonly password: string;
  readonly config: string;
  /** The mailbox of `name` is `<homes>/<name>/Maildir`. */
  readonly homes: string;
  /** Who owns the mailboxes. */
  readonly uid: number;
  readonly gid: number;
}

const START_MS = 30_000;
const PASSWORD = 'mail"pa55\\word';

/** Starts a Dovecot of its own in `folder`; nobody else's is touched. Needs root. @param dovecotd path of the server */
export async function startDovecot(
  folder: string,
  dovecotd: string,
  certificates: Certificates,
): Promise<RunningServer<DovecotAccess>> {
  const homes = join(folder, "homes");
  for (const path of [folder, join(folder, "run"), homes]) mkdirSync(path);
  const owner = (flag: string) => Number(execFileSync("id", [flag, "mail"], { encoding: "utf8" }));
  const [uid, gid] = [owner("-u"), owner("-g")];
  chownSync(homes, uid, gid);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const config = join(folder, "dovecot.conf");
  writeFileSync(config, configText({ folder, homes, port, tlsPort, certificates }));
  const server = spawn(dovecotd, ["-F", "-c", config], { stdio: "ignore" });
  await untilListening(server, tlsPort);
  return {
    access: { port, tlsPort, password: PASSWORD, config, homes, uid, gid },
    stop: async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, "exit");
      server.kill("SIGTERM");
      await exited;
    },
  };
}

interface Places {
  readonly folder: string;
  readonly homes: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly certificates: Certificates;
}

/** No delay after a wrong password, neither for it nor for the next one of the same client. */
function configText({ folder, homes, port, tlsPort, certificates }: Places): string {
  const quoted = PASSWORD.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `
base_dir = ${join(folder, "run")}
state_dir = ${join(folder, "run")}
instance_name = parley-test
protocols = imap
listen = 127.0.0.1
log_path = ${join(folder, "dovecot.log")}
mail_location = maildir:~/Maildir
ssl = yes
ssl_cert = <${certificates.cert}
ssl_key = <${certificates.key}
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
mail_max_userip_connections = 50
first_valid_uid = 1
passdb {
  driver = static
  args = "password=${quoted}"
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${homes}/%n
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
`;
}

/** Resolves at the first accepted connection. Rejects when the server ends before. */
async function untilListening(server: ChildProcess, port: number): Promise<void> {
  const giveUp = AbortSignal.timeout(START_MS);
  for (;;) {
    if (server.exitCode !== null) throw new Error("Dovecot ended at its start; see dovecot.log");
    giveUp.throwIfAborted();
    const socket = connect(port, "127.0.0.1");
    const up = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (up) return;
    await wait(50);
  }
}
