/** What a Pages function is given, as far as the doors to the Worker need it. */
interface PagesContext {
  readonly request: Request;
  readonly env: { readonly API: { fetch(request: Request): Promise<Response> } };
}

/** Hands a request to the Worker over the service binding, streams and upgrades included. */
export const onRequest = ({ request, env }: PagesContext): Promise<Response> => env.API.fetch(request);
