// The sandbox's identity provider: OpenID Connect as any other provider has it, with people who need no password. It is a
// tool for development: it is in no image, and listens on this machine alone.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Provider, type Configuration } from "oidc-provider";
import type { Config, Person } from "./config.ts";
import { DARK_TOKENS, DESIGN_TOKENS, html, Html } from "@holdfast/html";

/** The console's name here. It is a public client, which PKCE protects. */
export const CLIENT_ID = "holdfast-console";
/** The resource (RFC 8707) whose access tokens the gateway's API for operators takes. */
export const OPERATOR_API_RESOURCE = "urn:holdfast:operator-api";

export type IdentityProvider = { issuer: string; close(): Promise<void> };

export async function startIdentityProvider(config: Config): Promise<IdentityProvider> {
  const issuer = `http://127.0.0.1:${config.IDENTITY_PROVIDER_PORT}`;
  const provider = new Provider(issuer, configurationOf(config));
  const handle = provider.callback();
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?", 1)[0]!;
    if (path === "/livez") response.writeHead(200).end("live\n");
    else if (!path.startsWith("/interaction/")) void handle(request, response);
    else {
      interact(provider, config.IDENTITY_PROVIDER_PEOPLE, { request, response }).catch(() => {
        if (!response.headersSent) response.writeHead(400, { "Content-Type": "text/plain; charset=utf-8" });
        response.end("This sign-in is over. Go back to the console and sign in again.\n");
      });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(config.IDENTITY_PROVIDER_PORT, "127.0.0.1", resolve);
  });
  return {
    issuer,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** `GET` shows the people, and `POST` signs one of them in. */
async function interact(
  provider: Provider,
  people: readonly Person[],
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const interaction = await provider.interactionDetails(request, response);
  if (request.method !== "POST") {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" });
    response.end(peoplePage(people, `/interaction/${interaction.uid}`));
    return;
  }
  const name = new URLSearchParams(await bodyOf(request)).get("person");
  const person = people.find((known) => known.name === name);
  const result = person
    ? { login: { accountId: person.name } }
    : { error: "access_denied", error_description: "nobody was chosen" };
  await provider.interactionFinished(request, response, result);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > BODY_MAX) throw new RangeError("the form is too large");
  }
  return text;
}

const BODY_MAX = 10_000;
const HOUR_S = 3_600;
const DAY_S = 86_400;

function configurationOf(config: Config): Configuration {
  const consoleUrl = new URL(config.IDENTITY_PROVIDER_CONSOLE_URL).origin;
  const claimsOf = (name: string) => {
    const person = config.IDENTITY_PROVIDER_PEOPLE.find((known) => known.name === name);
    return { roles: person?.roles ?? [], ...(person?.merchantId && { merchant_id: person.merchantId }) };
  };
  const audienceOf = (name: string | undefined) =>
    config.IDENTITY_PROVIDER_PEOPLE.find((known) => known.name === name)?.audience === "staff"
      ? config.IDENTITY_PROVIDER_STAFF_AUDIENCE
      : config.IDENTITY_PROVIDER_AUDIENCE;
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        token_endpoint_auth_method: "none",
        redirect_uris: [`${consoleUrl}/login/return`],
        post_logout_redirect_uris: [`${consoleUrl}/logged-out`],
        backchannel_logout_uri: `${consoleUrl}/backchannel-logout`,
        backchannel_logout_session_required: true,
        id_token_signed_response_alg: "ES256",
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    jwks: { keys: [{ ...config.IDENTITY_PROVIDER_KEY, alg: "ES256", use: "sig" }] },
    cookies: { keys: [randomBytes(32).toString("base64url")] },
    pkce: { required: () => true },
    clientBasedCORS: () => false,
    conformIdTokenClaims: false,
    claims: { openid: ["sub", "roles", "merchant_id"] },
    findAccount: (_context, name) => ({ accountId: name, claims: () => ({ sub: name, ...claimsOf(name) }) }),
    extraTokenClaims: ({ oidc }, token) =>
      token.kind === "AccessToken"
        ? { ...claimsOf(token.accountId), auth_time: oidc.entities.AuthorizationCode?.authTime }
        : undefined,
    fetch: fetchFromHere,
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: grantEverything,
    ttl: { AccessToken: HOUR_S, IdToken: HOUR_S, Session: DAY_S, Grant: DAY_S, Interaction: HOUR_S },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource: endImmediately },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => OPERATOR_API_RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: ({ oidc }) => ({
          scope: "",
          // The person decides which of Holdfast's APIs takes their token.
          audience: audienceOf(oidc.account?.accountId ?? oidc.entities.AuthorizationCode?.accountId),
          accessTokenFormat: "jwt",
          accessTokenTTL: HOUR_S,
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  };
}

/** The library's own refuses to call this machine, where the console of the sandbox is. */
const fetchFromHere: NonNullable<Configuration["fetch"]> = async (url, options) => {
  const { dispatcher: _guarded, ...own } = options as RequestInit;
  return await fetch(url, own);
};

/** The console is a part of the product: nobody is asked whether it may know who they are. */
const grantEverything: NonNullable<Configuration["loadExistingGrant"]> = async (context) => {
  const { client, session, provider } = context.oidc;
  const grantId = session?.grantIdFor(client!.clientId);
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (known) return known;
  const grant = new provider.Grant({ accountId: session!.accountId!, clientId: client!.clientId });
  grant.addOIDCScope("openid");
  await grant.save();
  return grant;
};

/** A person who logs out has said so already: the form sends itself, and has a button where there are no scripts. */
async function endImmediately(context: { body: unknown }, form: string): Promise<void> {
  context.body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Log out</title></head>
<body>${form}<button type="submit" form="op.logoutForm" name="logout" value="yes">Log out</button>
<script>
const form = document.forms[0];
form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "logout", value: "yes" }));
form.submit();
</script></body>
</html>`;
  await Promise.resolve();
}

/** A button for each person. Its name begins with theirs. */
function peoplePage(people: readonly Person[], action: string): string {
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>Sign in to the sandbox</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <h1>Sign in to the sandbox</h1>
          <p>These people need no password. In production your own identity provider has this page.</p>
          <form method="post" action="${action}">
            ${people.map(
              ({ name, audience, roles }) =>
                html`<button name="person" value="${name}">
                  <strong>${name}</strong> <span>(${audience}: ${roles.join(", ")})</span>
                </button>`,
            )}
          </form>
        </main>
      </body>
    </html>`.text
  }\n`;
}

/** The look of the console, to which the page leads. */
const STYLE = new Html(`${DESIGN_TOKENS}
${DARK_TOKENS}
body { margin: 0; background: var(--ground); }
main { max-width: 34rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.5rem; line-height: 1.3; }
p { margin: 0 0 1.5rem; color: var(--quiet); }
button {
  display: block;
  width: 100%;
  margin: 0 0 0.75rem;
  padding: 0.85rem 1rem;
  border: 1px solid var(--line);
  border-radius: 0.6rem;
  background: var(--paper);
  color: var(--ink);
  font: inherit;
  text-align: left;
  cursor: pointer;
}
button span { color: var(--quiet); }
button:hover { border-color: var(--accent); }
:focus-visible { outline: 3px solid #2f7fd6; outline-offset: 2px; }`);
