import { createSimulatorAcquirer, observeAcquirer, type Acquirer } from "@holdfast/acquirer";
import { createSharedPlaces, placesOfOne, type SharedPlaces } from "@holdfast/service-runtime";
import type { Config } from "./config.ts";

export type AcquirerConnections = {
  /** For the calls that merchants and buyers wait for. */
  acquirer: Acquirer;
  /** The same connections, of which each merchant has a share: a call takes its place here first. */
  connections: SharedPlaces;
  /** For refunds, which come from the refunds service. */
  acquirerOfRefunds: Acquirer;
  /** For what was begun and has to be brought to its end: no merchant's calls can take these connections. */
  acquirerOfUpkeep: Acquirer;
};

export function connectAcquirer({
  ACQUIRER_URL: url,
  ACQUIRER_CONNECTIONS_MAX: max,
  ACQUIRER_CONNECTIONS_SHARE: share,
  ACQUIRER_REFUND_CONNECTIONS_MAX: REFUND_CONNECTIONS_MAX,
  RECOVERY_IN_FLIGHT_MAX,
  EXPIRY_IN_FLIGHT_MAX,
  ACQUIRER_REPETITION: repetition,
  ALLOW_PLAINTEXT,
}: Config): AcquirerConnections {
  const allowPlaintext = ALLOW_PLAINTEXT.has("acquirer");
  const connect = (connectionsMax: number) => {
    const connectTimeoutMs = ACQUIRER_CONNECT_TIMEOUT_MS;
    const options = { url, allowPlaintext, connectTimeoutMs, connectionsMax, repetition };
    return observeAcquirer(createSimulatorAcquirer(options), { url });
  };
  return {
    acquirer: connect(max),
    connections: createSharedPlaces({ max, ofOneMax: placesOfOne(max, share) }),
    acquirerOfRefunds: connect(REFUND_CONNECTIONS_MAX),
    acquirerOfUpkeep: connect(RECOVERY_IN_FLIGHT_MAX + EXPIRY_IN_FLIGHT_MAX + OPERATOR_CONNECTIONS),
  };
}

/** People ask about few payments at a time. */
const OPERATOR_CONNECTIONS = 8;
const ACQUIRER_CONNECT_TIMEOUT_MS = 2_000;
