import { createSharedPermits, permitsOfOne, type KeyRing } from "@holdfast/service-runtime";
import { createListCursors } from "./list-cursor.ts";
import type { ListDeps } from "./list-route.ts";

/** The dependencies that a listener's lists share. */
export function listDepsIn(config: {
  CREDENTIAL_PEPPERS?: KeyRing | undefined;
  EXPORTS_IN_FLIGHT_MAX: number;
  REQUESTS_IN_FLIGHT_SHARE: number;
}): ListDeps {
  const { CREDENTIAL_PEPPERS: peppers, EXPORTS_IN_FLIGHT_MAX: max, REQUESTS_IN_FLIGHT_SHARE: share } = config;
  if (peppers === undefined) throw new TypeError("a listener has lists and no CREDENTIAL_PEPPERS");
  return {
    cursors: createListCursors(peppers),
    exports: createSharedPermits({ max, ofOneMax: permitsOfOne(max, share) }),
  };
}
