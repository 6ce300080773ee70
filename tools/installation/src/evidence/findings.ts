import { isOwnHost } from "@holdfast/service-runtime";
import type { Evidence } from "./evidence.ts";
import type { Access } from "./read-access.ts";

/** The faults that an assessor has to see first, and the parts that are missing, each in a sentence. */
export function findingsIn(evidence: Evidence): string[] {
  const { tls, keys, access, cardNumbers, audit, page, settings } = evidence;
  const { database, files } = cardNumbers;
  const weakening = settings.reduce((count, process) => count + process.weakening.length, 0);
  const ages = keysOf(keys, access).map(({ ring, id, since }) => ({ key: `${ring} ${id}`, since }));
  const at = Date.parse(evidence.installation.collectedAt);
  return [
    ...tls.flatMap(({ listener, address, suites, faults }) =>
      Object.keys(suites).length === 0 && !isOwnHost(address.slice(0, address.lastIndexOf(":")))
        ? [`${listener} (${address}) has no TLS`]
        : faults.map((fault) => `${listener}: ${fault}`),
    ),
    ...[...database.found, ...files.found].map(
      ({ place, lastFour }) => `a card number that ends with ${lastFour} in ${place}`,
    ),
    ...(database.skipped > 0 ? [`${database.skipped} ranges of the database were not searched`] : []),
    ...(files.files.length === 0 ? ["no file was searched for card numbers (--scan-path)"] : []),
    ...files.unread.map((file) => `${file} was not searched whole: unpack it, and name it with --scan-path`),
    ...ages.flatMap(({ key, since }) =>
      since !== undefined && at - Date.parse(since) > YEAR_MS ? [`${key} is older than a year`] : [],
    ),
    ...(audit.intact ? [] : ["the audit log is not intact"]),
    ...(audit.anchored ? [] : ["the audit log was not compared with heads that were kept (--anchors)"]),
    ...("asReleased" in page
      ? page.asReleased
        ? []
        : ["the payment page is not as it was released"]
      : ["the payment page was not compared (--page)"]),
    ...(tls.length === 0 ? ["no listener was tried (--listener)"] : []),
    ...(settings.length === 0 ? ["no process's settings were read (--environment)"] : []),
    ...(weakening > 0 ? [`${weakening} settings weaken a measure, each of which is listed at the end`] : []),
  ];
}

const YEAR_MS = 366 * 86_400_000;

type KeyOfRing = { ring: string; id: string; since: string | undefined };

/** Each key once, with the day from which it is used: the database's, or that with which its id begins. */
export function keysOf(keys: Evidence["keys"], { credentials, fingerprintKeys }: Access): KeyOfRing[] {
  const known = new Map<string, string>([
    ...credentials.byPepper.map(({ id, since }) => [`CREDENTIAL_PEPPERS ${id}`, since] as const),
    ...fingerprintKeys.map(({ id, since }) => [`PAN_FINGERPRINT_KEYS ${id}`, since] as const),
  ]);
  const ids = keys.flatMap(({ rings }) =>
    Object.entries(rings).flatMap(([ring, of]) => of.ids.map((id) => `${ring} ${id}`)),
  );
  return [...new Set(ids)].map((key) => {
    const [ring = "", id = ""] = key.split(" ");
    return { ring, id, since: /^\d{4}-\d{2}-\d{2}/.exec(id)?.[0] ?? known.get(key) };
  });
}
