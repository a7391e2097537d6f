/**
 * A backup's file: compressed JSON lines. First a header, then for each table a line that names it, a line for each
 * row, and a line with their number and sum; last a line that says that nothing is missing.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { Problem } from "../instance/problem.mjs";

export const FORMAT = "parley-backup-1";

/** Number and sum of a table's rows, one after the other. */
export function rowSum() {
  const hash = createHash("sha256");
  let rows = 0;
  return {
    add(row) {
      hash.update(`${JSON.stringify(row)}\n`);
      rows += 1;
    },
    end: () => ({ rows, sha256: hash.digest("hex") }),
  };
}

/** Writes lines; the file has its name only once it is whole. Nothing is left of one that was not finished. */
export async function writeBackup(file, work) {
  if (existsSync(file)) throw new Problem(`${file} exists already. Name a new file.`);
  const unfinished = `${file}.unfinished`;
  // One that was left over may be readable for others, or a link to elsewhere.
  rmSync(unfinished, { force: true });
  const gzip = createGzip();
  const written = pipeline(gzip, createWriteStream(unfinished, { mode: 0o600, flags: "wx", flush: true }));
  try {
    await Promise.race([
      written,
      work(async (line) => {
        if (!gzip.write(`${JSON.stringify(line)}\n`)) await once(gzip, "drain");
      }),
    ]);
    gzip.end();
    await written;
    renameSync(unfinished, file);
  } catch (error) {
    gzip.destroy();
    await written.catch(() => undefined);
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** What is said of a file that nothing of a backup was found in. */
export const noBackup = (file) =>
  new Problem(`${file} is no backup of Parley's. npm run backup -- FILE makes one.`);

/** The file's lines, parsed, one at a time. Throws a {@link Problem} where it is none of ours or is damaged. */
export async function* readBackup(file) {
  const stream = createReadStream(file);
  const unpacked = createGunzip();
  let broken = null;
  pipeline(stream, unpacked).catch((error) => {
    broken = error;
  });
  let last;
  try {
    for await (const text of createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY })) {
      last = JSON.parse(text);
      yield last;
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    broken ??= error;
  }
  if (last === undefined && (isOfContent(broken) || stream.bytesRead === 0)) throw noBackup(file);
  if (broken !== null) throw new Problem(`${file} cannot be read: ${broken.message}`);
  if (last === undefined) throw noBackup(file);
  if (last?.end !== "backup") throw new Problem(`${file} is cut off.`);
}

/** Not packed, or packed text that is no JSON; against what keeps the file itself from being read. */
const isOfContent = (error) => error instanceof SyntaxError || error?.code === "Z_DATA_ERROR";
