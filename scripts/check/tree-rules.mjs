import { homedir } from "node:os";

const forbiddenFolders = ["utils", "helpers", "common", "manager"];
const homes = /(?:\/(?:home|Users)\/[A-Za-z][\w.-]*\/|[A-Z]:\\+Users\\+)/;
const registries =
  /https?:\/\/[^\s/"']*(?:registry|artifactory|nexus|verdaccio)[^\s/"']*[/"']|"resolved":\s*"https?:/i;

/** Folder names that say nothing about what is inside. */
export function checkPath(file) {
  const folders = file.split("/").slice(0, -1);
  return folders
    .filter((folder) => forbiddenFolders.includes(folder))
    .map((folder) => ({
      line: 1,
      message: `lies in a folder named ${folder}; name it after what is inside`,
    }));
}

/**
 * Traces of one machine: absolute paths and package registries.
 * @param machine absolute paths that must not appear, by default this checkout's and this user's home
 */
export function checkTraces(text, machine = machinePaths()) {
  return text.split("\n").flatMap((line, index) => {
    const path = machine.find((candidate) => line.includes(candidate)) ?? homes.exec(line)?.[0];
    const messages = [
      ...(path === undefined ? [] : [`names the absolute path ${path}`]),
      ...(registries.test(line) ? ["names a package registry's address"] : []),
    ];
    return messages.map((message) => ({ line: index + 1, message }));
  });
}

/** Too short ones (`/`, `/app`) would be found everywhere. */
function machinePaths() {
  return [process.cwd(), homedir()].filter((path) => path.split(/[\\/]/).filter(Boolean).length > 1);
}
