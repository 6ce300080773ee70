import { BlockList, isIP } from "node:net";
import { auditSettings, auditWire } from "@holdfast/audit";
import {
  operatorTokenSettings,
  operatorTokenWire,
  checkStaffTokens,
  staffTokenSettings,
  staffTokenWire,
} from "@holdfast/operator-token";
import {
  commonSettings,
  commonWires,
  durationSetting,
  integerSetting,
  keyRingSetting,
  refusePlaintext,
  ringSettings,
  shareSetting,
  textSetting,
} from "@holdfast/service-runtime";
import { z } from "zod";

const settings = z.object({
  ...commonSettings,
  ...operatorTokenSettings,
  ...staffTokenSettings,
  ...auditSettings,
  WEBHOOK_SECRET_KEYS: keyRingSetting().describe(
    "Encrypts merchants' webhook secrets and endpoints' headers at rest; new ones are encrypted under the first key, and older ones by `keys reencrypt`.",
  ),
  ...ringSettings,

  WEBHOOK_RETRY_SCHEDULE: delaysSetting()
    .prefault("30s,1m,5m,15m,1h,4h,12h,24h")
    .describe(
      "The delays between the end of a failed attempt and the next one; the last delay repeats. The default is the API specification's.",
    ),
  WEBHOOK_RETRY_WINDOW: durationSetting()
    .default(48 * 3_600_000)
    .describe("No scheduled attempt starts later than this after the event."),
  WEBHOOK_ATTEMPT_TIMEOUT: durationSetting()
    .default(5_000)
    .describe("How long an endpoint may take from the end of the request to its answer's headers."),

  WEBHOOK_ALLOWED_CIDRS: cidrsSetting()
    .prefault("")
    .describe("Ranges that may be called although they are not public: for tests and private networks."),
  WEBHOOK_ALLOWED_PORTS: portsSetting().prefault("443,8443").describe("Ports that endpoints may use."),
  WEBHOOK_CA_FILE: textSetting("must be the path of a PEM file")
    .optional()
    .describe("A certificate authority that is trusted in addition to the public ones."),
  WEBHOOK_DNS_SERVERS: listSetting().optional().describe("DNS servers to use instead of the system's."),

  WEBHOOK_SENDS_IN_FLIGHT_MAX: integerSetting(2, 10_000)
    .default(512)
    .describe("Requests under way in one process; at most half of them to endpoints that do not answer."),
  WEBHOOK_LEASE: durationSetting()
    .default(30_000)
    .describe(
      "How long a process may keep a delivery before another may take it over; extended when it is too short for one attempt.",
    ),
  WEBHOOK_REAP_INTERVAL: durationSetting()
    .default(10_000)
    .describe("How often deliveries of processes that died are released, and those past their deadline end."),
  WEBHOOK_CLAIM_INTERVAL: durationSetting()
    .default(5_000)
    .describe(
      "How often due deliveries are looked for when nothing triggers it. A retry after an hour or less is sent when it is due, or up to a 240th of its delay later, by the process that has planned it; any other starts late by this time at most.",
    ),
  WEBHOOK_ENDPOINTS_MAX: integerSetting(1, 50)
    .default(10)
    .describe("Most webhook endpoints of one merchant, its default one included."),
  WEBHOOK_WARN_AFTER: durationSetting()
    .default(3_600_000)
    .describe(
      "How long an endpoint fails before the merchant's other endpoints get a warning (`webhook.disabled_warning`). They get another at a third and at two thirds of `WEBHOOK_RETRY_WINDOW`, where that is later.",
    ),
  WEBHOOK_SECRET_ACTIVATION: durationSetting()
    .default(24 * 3_600_000)
    .describe("When a rotated secret becomes active by itself."),
  WEBHOOK_EVENT_RETENTION_DAYS: integerSetting(3, 3_650)
    .default(90)
    .describe(
      "Days that events and the outcomes of their deliveries are kept. An event that arrives later than that is not sent.",
    ),
  WEBHOOK_ATTEMPT_RETENTION_DAYS: integerSetting(3, 3_650)
    .default(30)
    .describe("Days that attempts are kept in the delivery log."),
  COMMANDS_IN_FLIGHT_SHARE: shareSetting()
    .default(0.25)
    .describe(
      "The part of `COMMANDS_IN_FLIGHT_MAX`, and of `LOCAL_COMMANDS_IN_FLIGHT_MAX`, that commands of one merchant may have, at least one.",
    ),
  COMMANDS_IN_FLIGHT_MAX: integerSetting(1, 100_000)
    .default(256)
    .describe(
      "Commands under way in one process that may wait for a merchant's server; one more is refused before it starts.",
    ),
  LOCAL_COMMANDS_IN_FLIGHT_MAX: integerSetting(1, 100_000)
    .default(256)
    .describe(
      "The same for commands that do not wait for a merchant's server: reads, changes of endpoints, redeliveries. They have places of their own, so that a server which hangs leaves them free.",
    ),
});

/** Environment variables of the webhook dispatcher. */
export const configSchema = settings.check(
  refusePlaintext((settings) => [
    ...commonWires(settings),
    operatorTokenWire(settings),
    staffTokenWire(settings),
    auditWire(settings),
  ]),
  checkStaffTokens,
);
export type Config = z.infer<typeof configSchema>;

/** Durations separated by commas, in any order, in milliseconds. */
function delaysSetting() {
  const error = "must be durations separated by commas, such as 30s,1m,5m";
  return z.string({ error }).transform((value, context): number[] => {
    const delays = value.split(",").map((step) => durationSetting().safeParse(step.trim()).data);
    if (delays.some((delay) => delay === undefined)) {
      context.addIssue({ code: "custom", message: error });
      return z.NEVER;
    }
    return delays as number[];
  });
}

function listSetting() {
  return textSetting("must be ip or ip:port, several separated by commas").transform((value) =>
    splitList(value),
  );
}

function cidrsSetting() {
  const error = "must be ranges separated by commas, such as 10.0.0.0/8,fd00::/8";
  return z.string({ error }).transform((value, context): BlockList => {
    const ranges = new BlockList();
    for (const range of splitList(value)) {
      const [address = "", prefix = "", ...rest] = range.split("/");
      const family = isIP(address);
      if (
        family === 0 ||
        rest.length > 0 ||
        !/^\d{1,3}$/.test(prefix) ||
        Number(prefix) > (family === 4 ? 32 : 128)
      ) {
        context.addIssue({ code: "custom", message: error });
        return z.NEVER;
      }
      ranges.addSubnet(address, Number(prefix), family === 4 ? "ipv4" : "ipv6");
    }
    return ranges;
  });
}

function portsSetting() {
  const error = "must be ports separated by commas, or any";
  return z.string({ error }).transform((value, context): "any" | ReadonlySet<number> => {
    if (value.trim() === "any") return "any";
    const ports = splitList(value);
    if (ports.length === 0 || ports.some((port) => !/^\d{1,5}$/.test(port) || Number(port) > 65_535)) {
      context.addIssue({ code: "custom", message: error });
      return z.NEVER;
    }
    return new Set(ports.map(Number));
  });
}

function splitList(value: string): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
