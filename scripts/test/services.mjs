import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const HEADLESS = "/usr/bin/chromium-headless-shell";

/**
 * What some tests need besides npm packages. Each has Debian's `packages`, `find()` (a path, or null when it
 * is missing), and the `variable` in which the tests are told that path; they skip when it is not set. With
 * `better()` false something was found that will do, but what would be installed does it in less time.
 */
const services = [
  {
    name: "Chromium",
    skipped: "the browser tests",
    packages: ["chromium-headless-shell"],
    variable: "PARLEY_CHROMIUM",
    // Without a window to draw it needs a third less of the processors.
    better: () => existsSync(HEADLESS),
    find: () =>
      [HEADLESS, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
        existsSync,
      ) ?? null,
  },
  {
    name: "OpenSSL",
    skipped: "all service tests",
    packages: ["openssl"],
    variable: "PARLEY_OPENSSL",
    find: () => program("openssl"),
  },
  {
    name: "MariaDB",
    skipped: "the tests of Database with MySQL",
    packages: ["mariadb-server"],
    variable: "PARLEY_MARIADB",
    find: () => program("mariadbd"),
  },
  {
    name: "Dovecot",
    skipped: "the tests of Mail",
    packages: ["dovecot-imapd"],
    variable: "PARLEY_DOVECOT",
    find: () => program("dovecot"),
  },
];

/** Servers lie in folders that only root has on its path. */
function program(name) {
  const folders = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"];
  return folders.map((folder) => `${folder}/${name}`).find(existsSync) ?? null;
}

/**
 * Finds each service, installing what is missing when that is possible (root on Debian).
 * @returns the environment variables for the tests
 */
export function provideServices(log) {
  const missing = services.filter((service) => service.find() === null || service.better?.() === false);
  if (missing.length > 0) install(missing, log);
  const found = services.flatMap((service) => {
    const path = service.find();
    if (path !== null) return [[service.variable, path]];
    log(
      `${service.name} is missing: ${service.skipped} are skipped. Install it: apt-get install ${service.packages.join(" ")}`,
    );
    return [];
  });
  return Object.fromEntries(found);
}

function install(missing, log) {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  const packages = missing.flatMap((service) => service.packages);
  log(`installing ${packages.join(", ")} with apt-get (once) ...`);
  apt(["update", "-qq"]);
  apt(["install", "-y", "-qq", "--no-install-recommends", ...packages]);
}

function apt(args) {
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", args, { stdio: ["ignore", "ignore", 2], env: environment });
}
