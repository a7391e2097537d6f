/** Whether the channels that tools name are channels of the instance. */
import { channelKeys } from "../tool.ts";
import { type ConfigIssue, issueAt, type Path } from "./issues.ts";
import { fieldOf, isRecord, itemsOf, textOf } from "./raw.ts";
import type { ToolLookup } from "./tool-check.ts";

/** Faults of a whole file; one agent's document alone does not show them. */
export function channelIssues(file: unknown, registry: ToolLookup): ConfigIssue[] {
  const channels = fieldOf(fieldOf(file, "instance"), "channels");
  const known = isRecord(channels) ? Object.keys(channels) : [];
  return namedChannels(file, registry)
    .filter(({ name }) => !known.includes(name))
    .map(({ path }) => issueAt(path, "Names no entry of instance.channels"));
}

interface Named {
  readonly name: string;
  readonly path: Path;
}

function namedChannels(file: unknown, registry: ToolLookup): Named[] {
  return itemsOf(fieldOf(file, "agents")).flatMap((agent, position) => {
    const tools = fieldOf(agent, "tools");
    return Object.entries(isRecord(tools) ? tools : {}).flatMap(([tool, config]) =>
      namedBy(registry, tool, config).map(({ name, path }) => ({
        name,
        path: ["agents", position, "tools", tool, ...path],
      })),
    );
  });
}

function namedBy(registry: ToolLookup, tool: string, config: unknown): Named[] {
  const schema = registry.get(tool)?.configSchema;
  return (schema === undefined ? [] : channelKeys(schema)).flatMap((key) =>
    itemsOf(fieldOf(config, key)).flatMap((item, index) => {
      const name = textOf(item);
      return name === null ? [] : [{ name, path: [key, index] }];
    }),
  );
}
