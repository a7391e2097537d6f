/** A mailbox of the test's own on the Dovecot that `setup.ts` started, seen from the server's side. */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { DovecotAccess } from "./dovecot.ts";

export interface MailAccount {
  readonly name: string;
  /** Puts a message into the inbox as a mail server would. */
  deliver(raw: string | Uint8Array): void;
  /** Names of the files in the inbox; a read one's ends in `S`. */
  files(): readonly string[];
  /** The messages in the inbox, in no order. */
  messages(): readonly string[];
  /** UIDs are given out anew from now on. */
  renumber(): void;
  /** Deletes a message for good. */
  expunge(uid: number): void;
  /** Logged-in connections. */
  connections(): number;
}

const folders = ["tmp", "new", "cur"] as const;

export function mailAccount(dovecot: DovecotAccess, name = `box-${randomUUID().slice(0, 8)}`): MailAccount {
  const { uid, gid, homes, config } = dovecot;
  const maildir = join(homes, name, "Maildir");
  for (const path of [join(homes, name), maildir, ...folders.map((folder) => join(maildir, folder))]) {
    if (existsSync(path)) continue;
    mkdirSync(path);
    chownSync(path, uid, gid);
  }
  const doveadm = (...args: string[]) =>
    execFileSync("doveadm", ["-c", config, ...args], { encoding: "utf8" });
  const paths = () =>
    (["new", "cur"] as const).flatMap((folder) =>
      readdirSync(join(maildir, folder)).map((file) => join(maildir, folder, file)),
    );
  return {
    name,
    deliver: (raw) => {
      const file = `${Date.now()}.${randomUUID()}.test`;
      writeFileSync(join(maildir, "tmp", file), raw);
      chownSync(join(maildir, "tmp", file), uid, gid);
      renameSync(join(maildir, "tmp", file), join(maildir, "new", file));
    },
    files: paths,
    messages: () => paths().map((path) => readFileSync(path, "utf8")),
    renumber: () => {
      const known = doveadm("mailbox", "status", "-u", name, "uidvalidity", "INBOX");
      const validity = Number(/uidvalidity=(\d+)/.exec(known)?.[1]);
      doveadm("mailbox", "update", "--uid-validity", String(validity + 1_000), "-u", name, "INBOX");
    },
    expunge: (uid_) => {
      doveadm("expunge", "-u", name, "mailbox", "INBOX", "uid", String(uid_));
    },
    connections: () =>
      doveadm("who", "-1", name)
        .split("\n")
        .slice(1)
        .filter((row) => row !== "").length,
  };
}
