import { randomUUIDv7 } from "node:crypto";

import { namedBy, orderIdOf, type AnyConnector } from "@holdfast/acquirer";
import { describe, expect, test } from "vitest";
import { z } from "zod";

import { SECRETS as AKBANK_SECRETS, settingsOf as akbankSettingsOf } from "./akbank/test/akbank-bench.ts";
import { CONNECTORS } from "./connectors.ts";
import { SECRETS as GARANTI_SECRETS, settingsOf as garantiSettingsOf } from "./garanti/test/garanti-bench.ts";
import { settingsOf } from "./iyzico/test/iyzico-requests.ts";
import { SECRETS as IYZICO_SECRETS } from "./iyzico/test/scripted-iyzico.ts";
import { SECRETS as NESTPAY_SECRETS } from "./nestpay/test/nestpay-bench.ts";
import { SECRETS as POSNET_SECRETS, settingsOf as posnetSettingsOf } from "./posnet/test/posnet-bench.ts";
import { BUSINESS_DAY, cardRequest, followUpRequest, soon } from "./test/calls.ts";

const EXAMPLES: Record<string, (url: string) => { settings: object; secrets: object }> = {
  sim: (url) => ({ settings: { url }, secrets: {} }),
  nestpay: (url) => ({
    settings: { apiUrl: `${url}/fim/api`, gateUrl: `${url}/fim/est3Dgate`, clientId: "1" },
    secrets: NESTPAY_SECRETS,
  }),
  iyzico: (url) => ({ settings: settingsOf(url), secrets: IYZICO_SECRETS }),
  garanti: (url) => ({ settings: garantiSettingsOf(url), secrets: GARANTI_SECRETS }),
  akbank: (url) => ({ settings: akbankSettingsOf(url), secrets: AKBANK_SECRETS }),
  posnet: (url) => ({ settings: posnetSettingsOf(url), secrets: POSNET_SECRETS }),
};

type JsonSchema = { description?: string; properties?: Record<string, JsonSchema> };

describe.each([...CONNECTORS])("%s", (protocol, connector: AnyConnector) => {
  test("says of every setting and secret what it is for", () => {
    const undescribed = (schema: JsonSchema, path: string): string[] =>
      Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
        ...(property.description ? [] : [`${path}.${name}`]),
        ...undescribed(property, `${path}.${name}`),
      ]);
    for (const schema of [connector.settings, connector.secrets])
      expect(undescribed(z.toJSONSchema(schema, { io: "input" }) as JsonSchema, protocol)).toEqual([]);
  });

  test("names a payment's order so that the bank's word leads back to it", () => {
    const id = randomUUIDv7();
    const name = connector.orderNameOf?.(id) ?? orderIdOf(id);
    expect(namedBy(name)).toEqual({ what: "payment", id });
  });

  test("sends nothing where no connection is made, nor after it was closed", async () => {
    const gone = connectTo(connector, "http://127.0.0.1:1");
    expect(await gone.sale(cardRequest())).toEqual({ kind: "not_sent" });
    expect(await gone.refund(followUpRequest(cardRequest()))).toEqual({ kind: "not_sent" });
    expect((await gone.probe(soon())).kind).toBe("unreachable");
    await gone.close();
    expect(await gone.sale(cardRequest())).toEqual({ kind: "not_sent" });
  });
});

// The simulator's address is the installation's own, which its start checks.
test.each([...CONNECTORS.keys()].filter((protocol) => protocol !== "sim"))(
  "%s carries no card over plain HTTP, unless the wire allows it",
  async (protocol) => {
    const connector = CONNECTORS.get(protocol)!;
    expect(() => connectTo(connector, "http://bank.example")).toThrow(
      /^the bank's addresses must be https:\/\/, unless ALLOW_PLAINTEXT names acquirer$/,
    );
    await connectTo(connector, "http://bank.example", true).close();
  },
);

function connectTo(connector: AnyConnector, url: string, allowPlaintext = false) {
  const { settings, secrets } = EXAMPLES[connector.protocol]!(url);
  const account = { accountId: "account-1", version: 1, businessDay: BUSINESS_DAY };
  const wire = { connectionsMax: 1, connectTimeoutMs: 60_000, allowPlaintext };
  const parsed = connector.settings.parse(settings);
  return connector.connect({ ...account, settings: parsed }, connector.secrets.parse(secrets), wire);
}
