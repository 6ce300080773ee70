import { type AnyConnector } from "@holdfast/acquirer";
import { iyzicoConnector, nestpayConnector, simulatorConnector } from "@holdfast/banks";

/** The protocols there are, by the name that an account is made with. */
export const CONNECTORS: ReadonlyMap<string, AnyConnector> = new Map(
  [simulatorConnector, nestpayConnector, iyzicoConnector].map((connector: AnyConnector) => [
    connector.protocol,
    connector,
  ]),
);
