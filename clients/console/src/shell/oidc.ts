/**
 * OpenID Connect in the browser: authorization code flow with PKCE (RFC 7636) as a public client.
 *
 * The verifier and the state of one attempt are in session storage until the provider sends the person back; the code
 * is removed from the address at once. The access token is the credential of the API.
 *
 * Instead of `oauth4webapi`, because it refuses answers for their ID token, which the API does not use: one that is not signed
 * with RS256 (the algorithms of the provider are not in `/v1/sign-in`), or that the clock of the browser finds expired.
 */
export interface SignInOptions {
  readonly api_keys: boolean;
  readonly oidc: {
    readonly issuer: string;
    readonly client_id: string;
    readonly scopes: readonly string[];
    readonly authorization_endpoint: string | null;
    readonly token_endpoint: string | null;
  } | null;
}

const ATTEMPT = "packhouse.sign-in";

/** Return how this server lets people sign in. */
export async function signInOptions(): Promise<SignInOptions> {
  const response = await fetch("/v1/sign-in", { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`GET /v1/sign-in answered ${response.status}`);
  return (await response.json()) as SignInOptions;
}

/** Whether the provider has just sent the person back, with a code or an error. */
export function isReturning(): boolean {
  const query = new URLSearchParams(location.search);
  return query.has("state") && (query.has("code") || query.has("error")) && sessionStorage.getItem(ATTEMPT) !== null;
}

const redirectUri = () => `${location.origin}/console/`;

function base64Url(data: Uint8Array): string {
  return btoa(String.fromCharCode(...data)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const random = () => base64Url(crypto.getRandomValues(new Uint8Array(32)));

/** Leave for the provider's page. */
export async function beginOidc({ oidc }: SignInOptions): Promise<void> {
  if (oidc === null || oidc.authorization_endpoint === null) {
    throw new Error("The identity provider does not answer the server. Try again later, or sign in with an API key.");
  }
  if (crypto.subtle === undefined) throw new Error("Signing in at a provider needs HTTPS (or localhost).");
  const [verifier, state] = [random(), random()];
  const challenge = base64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
  const back = location.pathname + location.search;
  sessionStorage.setItem(ATTEMPT, JSON.stringify({ verifier, state, back }));
  const address = new URL(oidc.authorization_endpoint);
  for (const [name, value] of Object.entries({
    response_type: "code",
    client_id: oidc.client_id,
    redirect_uri: redirectUri(),
    scope: oidc.scopes.join(" "),
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
  })) {
    address.searchParams.set(name, value);
  }
  location.assign(address);
}

/** Exchange the code for a token, and go back to the page that was wanted. Throws when the provider refused. */
export async function finishOidc({ oidc }: SignInOptions): Promise<string> {
  const query = new URLSearchParams(location.search);
  const attempt = JSON.parse(sessionStorage.getItem(ATTEMPT) ?? "{}") as { verifier?: string; state?: string; back?: string };
  sessionStorage.removeItem(ATTEMPT);
  const back = attempt.back?.startsWith("/console") ? attempt.back : "/console/";
  history.replaceState(null, "", back);
  if (attempt.state === undefined || attempt.state !== query.get("state")) {
    throw new Error("The answer of the identity provider belongs to another attempt. Sign in again.");
  }
  if (query.has("error")) throw new Error(`The identity provider refused: ${query.get("error_description") ?? query.get("error")}`);
  if (oidc?.token_endpoint == null) throw new Error("The identity provider does not answer the server. Try again later.");
  const response = await fetch(oidc.token_endpoint, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "application/json" },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: query.get("code") ?? "",
      redirect_uri: redirectUri(),
      client_id: oidc.client_id,
      code_verifier: attempt.verifier ?? "",
    }),
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (!response.ok || typeof answer.access_token !== "string") {
    throw new Error(`The identity provider gave no token: ${String(answer.error_description ?? answer.error ?? response.status)}`);
  }
  return answer.access_token;
}
