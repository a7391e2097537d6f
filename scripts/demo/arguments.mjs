import { readOptions } from "../instance/options.mjs";
import { UsageProblem } from "../instance/problem.mjs";

export const HELP = `Starts the instance of npm start, gives the demo team one instruction and follows it to its end.

  npm run demo
  npm run demo -- --keep

Options
  --lang en|de  in which language; default by LANG
  --keep        the instance stays up until Ctrl-C
  --help        this text

Environment as for npm start: npm start -- --help
`;

const languages = ["en", "de"];

/**
 * @param args what stands behind `npm run demo --`
 * @param environment its LANG (such as `de_DE.UTF-8`) counts when no `--lang` is given
 * @returns `{language, keep}`, or `"help"`; throws a {@link UsageProblem} for anything else
 */
export function readArguments(args, environment) {
  const { help, keep, lang } = readOptions(args, "npm run demo", {
    lang: { type: "string" },
    keep: { type: "boolean", default: false },
  });
  if (help) return "help";
  return { language: lang === undefined ? languageOf(environment.LANG) : demandLanguage(lang), keep };
}

const languageOf = (locale = "") => languages.find((language) => locale.startsWith(language)) ?? "en";

function demandLanguage(name) {
  if (languages.includes(name)) return name;
  throw new UsageProblem(`The demo speaks ${languages.join(" and ")}: --lang en or --lang de.`);
}
