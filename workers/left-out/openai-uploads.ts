/** Stands in for the uploads of the `openai` package, see `alias` in wrangler.toml: a chat's request is JSON and has no file in it. */
const unused = () => {
  throw new Error("Uploads are left out of the Worker, see docs/decisions.");
};

export const hasUploadableValue = () => false;
export const finalizeStreamingFormRequestOptions = () => undefined;
export { unused as maybeMultipartFormRequestOptions, unused as toFile, unused as toStreamingFile };
