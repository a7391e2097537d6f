/**
 * What the models of the benchmark do: one that has a call makes it first, then each says its text. A model's
 * name is `scene` or `scene:colleague`.
 *
 * The file that is asked for has an extension that FileRW refuses before it looks for it: the call is
 * checked, made, journaled and audited like any other, and no storage but the runtime's own is measured.
 */
const scenes = {
  "bench-tool": {
    call: () => ({ name: "FileRW", arguments: { action: "read", path: "figures/october.bin" } }),
    say: "The file with the figures of October cannot be opened here, so ask for it as text.",
  },
  "bench-ask": {
    call: (agentId) => ({
      name: "ask_agent",
      arguments: { agentId, question: "How many bags are in stock today?" },
    }),
    say: "There are one hundred and eighty bags in stock, says the colleague who knows.",
  },
  "bench-answer": { call: () => null, say: "One hundred and eighty bags, counted this morning." },
};

/** `{call, say}` of a model; `call` is null where it only says something. */
export function sceneOf(model) {
  const [name, colleague] = model.split(":");
  const { call, say } = scenes[name];
  return { call: call(colleague), say };
}
