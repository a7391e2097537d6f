import { relative } from "node:path";
import { describeArguments } from "./story.mjs";
import { chainTree } from "./tree.mjs";

/** Prints what the chain was, from the record. @param demo `screen`, `texts`, `chain`, `runs`, `unsent`, `files`, `stateDir` */
export function printSummary(demo) {
  printChain(demo);
  printTrouble(demo);
  if (demo.files.length > 0) printFiles(demo);
}

function printChain({ screen, texts, chain, unsent }) {
  const { totals, runs, messages } = chain;
  screen.heading(`${texts.chain} ${chain.rootRunId}`);
  for (const line of chainTree(runs, texts)) screen.line(`  ${line}`);
  screen.line();
  const { costUsd, unpricedRuns } = totals;
  const cost =
    costUsd === null || unpricedRuns === 0
      ? texts.cost(costUsd)
      : texts.atLeast(texts.cost(costUsd), unpricedRuns);
  screen.paragraph(
    texts.totals({
      runs: totals.runs,
      depth: totals.depth,
      duration: texts.duration(totals.durationMs),
      input: texts.count(totals.inputTokens),
      output: texts.count(totals.outputTokens),
      cost,
    }),
  );
  const agents = [...new Set(runs.map((run) => run.agentId))];
  screen.paragraph(texts.tookPart(agents.length, agents.join(", ")));
  screen.paragraph(texts.messages(messages.length, countByStatus(messages, texts)));
  if (unsent > 0) screen.paragraph(texts.incomplete(unsent));
}

function countByStatus(messages, texts) {
  const counts = new Map();
  for (const { status } of messages) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${texts.status(status)}`).join(", ");
}

function printTrouble({ screen, texts, chain, runs }) {
  screen.heading(texts.trouble);
  const unanswered = chain.messages.filter(
    ({ direction, status }) => direction === "response" && status !== "delivered",
  );
  const lines = [
    ...unanswered.map(
      ({ toAgentId, fromAgentId, status, content }) =>
        `${texts.outcome[status]}  ${toAgentId} -> ${fromAgentId}: ${content}`,
    ),
    ...runs.flatMap(({ audit }) => audit.filter(isFailedCall).map((entry) => callLine(entry, texts))),
  ];
  for (const line of lines.length > 0 ? lines : [texts.nothing]) screen.paragraph(line);
}

/** An ask's end shows as its message. */
const isFailedCall = ({ tool, outcome }) => tool !== "ask_agent" && !["ok", "approval"].includes(outcome);

const callLine = (entry, texts) =>
  `${texts.outcome[entry.outcome]}  ${entry.agentId} -> ${entry.tool} (${describeArguments(entry.arguments, texts)}): ${entry.error ?? ""}`;

function printFiles({ screen, texts, files, stateDir }) {
  const near = relative(process.cwd(), stateDir) || ".";
  const place = `--local --persist-to ${near.startsWith("..") ? stateDir : near}`;
  screen.heading(texts.file);
  for (const { agentId, path, content, key } of files) {
    const size = texts.count(content?.length ?? null);
    screen.paragraph(texts.fileAt(agentId, path, size));
    screen.line();
    if (content !== null) screen.paragraph(content.trimEnd(), 4);
    screen.line();
    screen.paragraph(texts.fileKept(key));
    screen.line(`  npx wrangler r2 object get "parley-files/${key}" ${place} --pipe`);
  }
}
