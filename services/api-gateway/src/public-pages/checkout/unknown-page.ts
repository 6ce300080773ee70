import { type RoutedHandler } from "../../http/routed-request.ts";
import { visitHandler, type VisitDeps } from "./handle-visit.ts";
import { notFound } from "./answer-visit.ts";

/** A page for people at an unknown address. A program gets the same answer as from every listener. */
export function unknownPage(deps: VisitDeps): RoutedHandler {
  const show = visitHandler(deps, {
    route: "unknown",
    idOf: () => undefined,
    urlOf: (publicUrl) => publicUrl,
    isLimitedById: false,
    handle: async (visit) => notFound(visit),
  });
  return (request, response, next) => {
    const isPerson =
      ["GET", "HEAD"].includes(request.method) && /\btext\/html\b/.test(request.headers.accept ?? "");
    return isPerson ? show(request, response, next) : next();
  };
}
