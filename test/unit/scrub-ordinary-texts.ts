/** Ordinary texts of many kinds that hold no credential, though some talk about them. */
import { characters, encode, sequence } from "./scrub-samples.ts";

const HEX = "0123456789abcdef";
const LOWER = "abcdefghijklmnopqrstuvwxyz";

type Next = (below: number) => number;

/** What a template may fill in; each use takes the next random value. */
interface Fill {
  readonly n: (below: number) => number;
  readonly hex: (length: number) => string;
  readonly word: () => string;
  readonly Word: () => string;
  readonly wort: () => string;
  readonly host: () => string;
  readonly uuid: () => string;
  readonly date: () => string;
  readonly bytes: (length: number) => string;
}

const words =
  "report invoice customer schedule warehouse parser session gateway summary analyst backlog pipeline template keyboard tokenizer secretary passport authorization credential compass bypass monkey turkey basic bearer accessory".split(
    " ",
  );
const woerter =
  "Rechnung Lieferung Auftragsbestätigung Geschäftsführung Zwischenlager Rückfrage Freigabe Passwortmanager Zugangsdaten Schlüsselbund Geheimhaltungsvereinbarung Verarbeitungsverzeichnis Straße Größe".split(
    " ",
  );
const hosts = [
  "example.com",
  "docs.example.org",
  "shop.example.net",
  "localhost",
  "10.0.0.12",
  "files.internal.example",
];

function fillFrom(next: Next): Fill {
  const pick = (list: readonly string[]) => list[next(list.length)] ?? "";
  const hex = (length: number) => characters(next, length, HEX);
  const two = (below: number) => String(1 + next(below)).padStart(2, "0");
  return {
    n: next,
    hex,
    word: () => pick(words),
    Word: () => pick(words).replace(/^./, (letter) => letter.toUpperCase()),
    wort: () => pick(woerter),
    host: () => pick(hosts),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    date: () => `20${two(30)}-${two(12)}-${two(28)}`,
    bytes: (length) => Buffer.from(Array.from({ length }, () => next(256))).toString("base64"),
  };
}

const templates: readonly ((f: Fill) => string)[] = [
  (f) =>
    `The ${f.word()} team found ${f.n(900)} open points in the ${f.word()} ${f.word()}; ${f.Word()} will follow up on ${f.date()}.`,
  (f) =>
    `Please reset your password for the ${f.word()} portal within ${f.n(48)} hours; the token in the mail expires then.`,
  (f) =>
    `A secret is only safe as long as the ${f.word()} keeps it: never paste a token, a password or an API key into ticket ${f.n(9999)}.`,
  (f) => `Password: please ask ${f.Word()}, room ${f.n(300)}. Token: see the ${f.word()}. Secret: none.`,
  (f) =>
    `My question about the api key: should the ${f.word()} read it from the environment, as in version ${f.n(9)}.${f.n(20)}.${f.n(9)}?`,
  (f) => `The bearer of this ${f.word()} is entitled to basic ${f.word()} support until ${f.date()}.`,
  (f) => `Authorization: the ${f.word()} checks the caller's role ${f.n(12)} times before each ${f.word()}.`,
  (f) => `Die ${f.wort()} ${f.n(99_999)} wurde am ${f.date()} geprüft; die ${f.wort()} folgt nächste Woche.`,
  (f) =>
    `Bitte das Passwort für die ${f.wort()} nicht per E-Mail senden, sondern im ${f.wort()} ablegen (Ticket ${f.n(9999)}).`,
  (f) => `Passwort: siehe ${f.wort()} Seite ${f.n(400)}. Kennwort vergessen? Der Schlüssel: ${f.wort()}.`,
  (f) =>
    `Wer hat den Token für ${f.host()}? Rückfragen an ${f.word()}.${f.word()}@example.com, Durchwahl ${f.n(999)}.`,
  (f) => `const ${f.word()}${f.Word()} = await load${f.Word()}({ id: "${f.uuid()}", limit: ${f.n(500)} });`,
  (f) => `const token = await ${f.word()}Client.getToken${f.n(9)}(); // refreshes the ${f.word()} session`,
  (f) =>
    `if (password.length < ${8 + f.n(8)}) throw new ${f.Word()}Error("the ${f.word()} password is too short");`,
  (f) => `const password = process.env.${f.word().toUpperCase()}_PASSWORD${f.n(9)} ?? "";`,
  (f) => `export const secret = config.${f.word()}.secret${f.n(9)}; const apiKey = options.apiKey${f.n(9)};`,
  (f) => `type Auth = { token: string; password?: string; apiKey: ${f.Word()}Key${f.n(99)} };`,
  (f) => `password = hash_password(user${f.n(9)}.password, rounds=${f.n(20)})`,
  (f) => `login(username=user${f.n(9)}, password=user_password${f.n(9)}, token=new_token${f.n(9)})`,
  (f) => `return jwt.sign({ sub: ${f.word()}Id${f.n(9)} }, secret, { expiresIn: "${f.n(60)}m" });`,
  (f) => `secret: \${{ secrets.${f.word().toUpperCase()}_TOKEN_${f.n(99)} }}`,
  (f) => `    secretKeyRef: { name: ${f.word()}-secret-${f.n(99)}, key: password }`,
  (f) => `token: projects/${f.word()}-${f.n(999)}/secrets/${f.word()}/versions/${f.n(9)}`,
  (f) =>
    `{"token_type":"bearer","expires_in":${f.n(9999)},"max_tokens":${f.n(99_999)},"next_page_token":"page-${f.n(99)}"}`,
  (f) =>
    `{"inputTokens":${f.n(99_999)},"outputTokens":${f.n(9999)},"costUsd":0.${f.n(999)},"runId":"${f.uuid()}"}`,
  (f) =>
    `{"password":null,"token":"","apiKey":"\${${f.word().toUpperCase()}_KEY_${f.n(9)}}","user":"${f.word()}"}`,
  (f) =>
    `curl -sS -H "Authorization: Bearer $${f.word().toUpperCase()}_TOKEN" https://${f.host()}/v${f.n(9)}/${f.word()}`,
  (f) =>
    `curl -H "Authorization: Bearer <your-token-${f.n(9)}>" -H 'X-Api-Key: YOUR_API_KEY_${f.n(9)}' https://${f.host()}/`,
  (f) => `mysql -h ${f.host()} -u ${f.word()} -p --database=${f.word()}_${f.n(99)} < dump-${f.date()}.sql`,
  (f) => `export API_KEY=$(cat ~/.config/${f.word()}/key${f.n(9)}) && npm run ${f.word()}:${f.word()}`,
  (f) => `git clone git@github.com:${f.word()}/${f.word()}-${f.n(99)}.git && git checkout ${f.hex(40)}`,
  (f) => `git rebase --onto main ${f.hex(7)} feature/${f.word()}-${f.word()}-${f.n(999)}`,
  (f) =>
    `docker run --rm -e PASSWORD -p ${f.n(9999)}:80 registry.${f.host()}/${f.word()}@sha256:${f.hex(64)}`,
  (f) => `wrangler secret put ${f.word().toUpperCase()}_TOKEN --env staging-${f.n(9)}`,
  (f) =>
    `find . -name "*.${f.word()}" -mtime -${f.n(30)} -print0 | xargs -0 grep -nE '^(pass|sk-|key)[_-]?${f.n(9)}'`,
  (f) => `ssh -i ~/.ssh/id_ed25519 deploy@${f.host()} 'systemctl restart ${f.word()}-${f.n(9)}.service'`,
  (f) => `commit ${f.hex(40)}\nAuthor: ${f.Word()} <${f.word()}@example.com>\nDate:   ${f.date()}`,
  (f) => `run ${f.uuid()} of chain ${f.uuid()} took ${f.n(9999)} ms`,
  (f) =>
    `${f.date()}T0${f.n(9)}:1${f.n(9)}:2${f.n(9)}.${f.n(899) + 100}Z INFO ${f.word()} key=${f.word()} token_count=${f.n(99_999)} id=${f.uuid()}`,
  (f) => `GET https://${f.host()}:8${f.n(899) + 100}/@vite/client?t=1${f.hex(3)}&v=${f.hex(8)} 304`,
  (f) =>
    `see https://${f.host()}/a/${f.word()}/${f.n(9999)}?page=${f.n(99)}&sort=key:asc#${f.word()}-token and mail ${f.word()}@example.org`,
  (f) => `https://medium.example/@${f.word()}/${f.word()}-${f.word()}-${f.hex(12)}`,
  (f) => `postgres://${f.word()}:\${DB_PASSWORD}@${f.host()}:5432/${f.word()}_${f.n(99)}`,
  (f) =>
    `amqp://${f.word()}:<password>@${f.host()}:${f.n(9999)}/ and https://user:password@${f.host()}/${f.n(99)}`,
  (f) => `<img alt="${f.word()}" src="data:image/png;base64,iVBORw0KGgo${f.bytes(400 + f.n(400))}">`,
  (f) => `Content-Transfer-Encoding: base64\r\n\r\n${f.bytes(600).replace(/.{76}/g, "$&\r\n")}`,
  (f) =>
    `"node_modules/${f.word()}": { "version": "${f.n(9)}.${f.n(30)}.${f.n(9)}", "integrity": "sha512-${f.bytes(64)}" },`,
  (f) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${f.bytes(30)} ${f.word()}@${f.host()}`,
  (f) => `-----BEGIN CERTIFICATE-----\n${f.bytes(480).replace(/.{64}/g, "$&\n")}-----END CERTIFICATE-----`,
  (f) =>
    `A file that starts with -----BEGIN PRIVATE KEY----- belongs into the vault, see page ${f.n(999)} of the ${f.word()} handbook.`,
  (f) =>
    `-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY----- (shortened by ${f.Word()} on ${f.date()})`,
  (f) =>
    `.sk-${f.word()}-fading-circle-${f.n(12)} { animation-delay: ${f.n(9)}.${f.n(9)}s; } /* sk-cube-grid-wrapper */`,
  (f) =>
    `npm_config_${f.word()}_registry=https://${f.host()} npm_package_version=${f.n(9)}.0.0 hf_${f.word()}_cache_dir=/tmp/${f.n(99)}`,
  (f) => `task-${f.word()}-management-in-the-${f.word()}-department-20${f.n(89) + 10}`,
  (f) =>
    `at ${f.word()}.${f.word()} (/srv/app/node_modules/${f.word()}/dist/${f.word()}-${f.hex(8)}.js:${f.n(999)}:${f.n(99)})`,
  (f) =>
    `0 ${f.n(24)} * * 1-5 cd /opt/${f.word()} && ./bin/${f.word()} --since=${f.date()} --key-file=/run/secrets/${f.word()}_${f.n(9)}`,
  (f) =>
    `SELECT id, password_hash, token_expires_at FROM ${f.word()}s WHERE secret_name = 'name-${f.n(99)}' LIMIT ${f.n(99)};`,
  (f) =>
    `| ${f.word()} | ${f.n(9999)},${f.n(99)} EUR | DE${f.n(89) + 10} ${f.n(8999) + 1000} ${f.n(8999) + 1000} | ${f.date()} |`,
  (f) => `D:\\data\\${f.word()}\\AppData\\Roaming\\${f.Word()}\\token-cache-${f.n(99)}\\new\\readme.txt`,
  (f) => `"line one\\nline \\"${f.word()}\\"\\tpath \\\\\\\\server\\\\${f.word()}${f.n(99)}\\u00e4"`,
  (f) => `q=${encode(`${f.wort()} & ${f.word()} 100%`, ["uriComponent"])}&lang=de&page=${f.n(99)}`,
  (f) =>
    encode(`Guten Tag ${f.Word()}, die ${f.wort()} Nr. ${f.n(9999)} ist da. Mit freundlichen Grüßen`, [
      "base64",
    ]),
  (f) => encode(`{"event":"${f.word()}","at":"${f.date()}","id":"${f.uuid()}"}`, ["base64url"]),
  (f) =>
    `2001:db8:${f.hex(4)}:${f.hex(4)}::${f.hex(4)} ${f.hex(2)}:${f.hex(2)}:${f.hex(2)}:${f.hex(2)}:${f.hex(2)}:${f.hex(2)} ETag: W/"${f.hex(32)}"`,
  (f) => `00-${f.hex(32)}-${f.hex(16)}-01 trace of ${f.word()}, cache key ${f.word()}:${f.uuid()}`,
  (f) => `${f.Word()}: ${characters(f.n, 20, LOWER)} (${f.n(9)} Sterne) – „${f.wort()}“ … 漢字 😀 ${f.n(99)}`,
  (f) =>
    `x${f.n(9)} = (a + b${f.n(9)}) * ${f.n(99)} % 7; y = x << 2 | 0x${f.hex(8)}; s = '\\x${f.hex(2)}\\x${f.hex(2)}';`,
];

const placeholders: readonly string[] = [
  "sk-...",
  "sk-ant-...",
  "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "Set OPENAI_API_KEY=sk-... in your shell",
  "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "glpat-xxxxxxxxxxxxxxxxxxxx",
  "xoxb-your-token-here",
  "AKIA...",
  "<your key>",
  "$API_KEY",
  "API_KEY=<your key>",
  "API_KEY=$API_KEY",
  "password=********",
  "password: changeme123",
  "token=YOUR_TOKEN_123",
  'apiKey: "your-api-key-1"',
  "Authorization: Bearer <token>",
  `Authorization: Bearer $${"{TOKEN}"}`,
  "Authorization: Bearer YOUR_ACCESS_TOKEN",
  "Authorization: Bearer oauth2-token",
  "Authorization: Basic <base64>",
  "https://user:pass@example.com",
  "https://<user>:<password>@example.com",
  "scheme://user:****@host",
  "https://a:b@example.com",
  'credentials: "CLOUDFLARE_R2_S3_CREDENTIALS"',
  "eyJ...",
  "hooks.slack.com/services/T000/B000/XXX",
  "[secret] and [secret:API_TOKEN]",
];

/** At least `count` distinct texts, the same ones each time. */
export function ordinaryTexts(count: number): string[] {
  const fill = fillFrom(sequence(11));
  const texts = new Set(placeholders);
  for (let i = 0; texts.size < count; i++) {
    const template = templates[i % templates.length];
    if (template !== undefined) texts.add(template(fill));
  }
  return [...texts];
}
