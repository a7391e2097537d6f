import { Problem } from "../instance/problem.mjs";

const languages = ["en", "de"];

/**
 * @param args what stands behind `npm run demo --`
 * @param environment its LANG (such as `de_DE.UTF-8`) counts when no `--lang` is given
 * @returns `{language, keep}`; throws a Problem for anything else
 */
export function readArguments(args, environment) {
  const options = { language: languageOf(environment.LANG), keep: false };
  const left = args.flatMap((arg) => (arg.startsWith("--lang=") ? ["--lang", arg.slice(7)] : [arg]));
  while (left.length > 0) {
    const arg = left.shift();
    if (arg === "--keep") options.keep = true;
    else if (arg === "--lang") options.language = demandLanguage(left.shift());
    else throw new Problem(`${arg} is not known here. There is --lang en|de, and --keep.`);
  }
  return options;
}

const languageOf = (locale = "") => languages.find((language) => locale.startsWith(language)) ?? "en";

function demandLanguage(name) {
  if (languages.includes(name)) return name;
  throw new Problem(`The demo speaks ${languages.join(" and ")}: --lang en or --lang de.`);
}
