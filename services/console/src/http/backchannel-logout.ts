import { oncePerSecond, type Logger } from "@holdfast/service-runtime";
import { Router, type RequestHandler, type Response } from "express";
import { endSessions } from "../session/end-sessions.ts";
import type { IdentityProvider } from "../session/identity-provider.ts";
import type { SessionStore } from "./current-session.ts";
import { formOf } from "./page-handler.ts";

export type BackchannelLogoutDeps = { store: SessionStore; provider: IdentityProvider; log: Logger };

/**
 * Takes the identity provider's message of a logout elsewhere (OpenID Connect Back-Channel Logout 1.0): no browser is
 * in between, and the token is all the authority there is. The sessions that it names end at their next click.
 */
export function backchannelLogout(deps: BackchannelLogoutDeps): Router {
  return Router().post("/backchannel-logout", takeLogout(deps));
}

function takeLogout({ store, provider, log }: BackchannelLogoutDeps): RequestHandler {
  const refuse = refuserOf(log);
  return async (request, response) => {
    const tokens = formOf(request).getAll("logout_token");
    const [token = ""] = tokens;
    const logout = tokens.length === 1 ? await provider.verifyLogout(token) : undefined;
    if (!logout) return refuse(response, "the token is no logout token of this provider for this client");
    const ended = await endSessions(store.db, provider.issuer, logout);
    if (ended === undefined) return refuse(response, "the token was sent before");
    log.info({ operation: "back-channel logout", actor: logout.subject, count: ended }, "sessions ended");
    response.status(200).end();
  };
}

/**
 * Refuses as 2.8 of the specification says. Anybody can send an invalid token: the log says how many a second, and why
 * the last.
 */
function refuserOf(log: Logger) {
  let reason = "";
  const report = oncePerSecond((count) =>
    log.warn({ operation: "back-channel logout", count, reason }, "logouts refused"),
  );
  return (response: Response, why: string): void => {
    reason = why;
    report();
    response.status(400).json({ error: "invalid_request", error_description: why });
  };
}
