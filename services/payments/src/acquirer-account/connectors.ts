import { iyzicoConnector, nestpayConnector, simulatorConnector, type AnyConnector } from "@holdfast/acquirer";

/** The protocols there are, by the name that an account is made with. */
export const CONNECTORS: ReadonlyMap<string, AnyConnector> = new Map(
  [simulatorConnector, nestpayConnector, iyzicoConnector].map((connector: AnyConnector) => [
    connector.protocol,
    connector,
  ]),
);
