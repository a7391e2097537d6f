/**
 * Stands in for the endpoints and helpers of the `openai` package that nothing here calls, see `alias` in wrangler.toml. Its client
 * makes one object of each when it is built.
 */
export { Chat } from "openai/resources/chat/chat";

class Unused {}

export {
  Unused as Admin,
  Unused as Audio,
  Unused as Batches,
  Unused as Beta,
  Unused as ChatCompletionRunner,
  Unused as ChatCompletionStream,
  Unused as ChatCompletionStreamingRunner,
  Unused as Completions,
  Unused as Containers,
  Unused as ContentProvenanceChecks,
  Unused as Conversations,
  Unused as Decisions,
  Unused as Embeddings,
  Unused as Evals,
  Unused as Files,
  Unused as FineTuning,
  Unused as Graders,
  Unused as Images,
  Unused as Live,
  Unused as Models,
  Unused as Moderations,
  Unused as Realtime,
  Unused as Responses,
  Unused as Safety,
  Unused as Skills,
  Unused as Uploads,
  Unused as VectorStores,
  Unused as Videos,
  Unused as Webhooks,
};
