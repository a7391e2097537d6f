import { relative } from "node:path";
import { taskBoard } from "./board.mjs";
import { readable } from "./screen.mjs";
import { describeArguments } from "./story.mjs";
import { chainTree, personActs } from "./tree.mjs";

/** Prints what the chain was, from the record. @param demo `screen`, `texts`, `chain`, `runs`, `unsent`, `files`, `stateDir` */
export function printSummary(demo) {
  printChain(demo);
  if (demo.chain.tasks.length > 0) printBoard(demo);
  printTrouble(demo);
  if (demo.files.length > 0) printFiles(demo);
}

function printChain({ screen, texts, chain, unsent }) {
  const { totals, runs, messages } = chain;
  screen.heading(`${texts.chain} ${chain.rootRunId}`);
  for (const line of chainTree([...runs, ...personActs(messages)], texts)) screen.line(`  ${line}`);
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

function printBoard({ screen, texts, chain }) {
  screen.heading(texts.board);
  for (const line of taskBoard(chain.tasks, texts)) screen.line(`  ${readable(line)}`);
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
    ...chain.tasks
      .filter(({ status }) => status === "blocked")
      .map(
        ({ assignee, creator, title, reason }) =>
          `${texts.blockedTask}  ${assignee} -> ${creator}: ${title}: ${reason}`,
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
