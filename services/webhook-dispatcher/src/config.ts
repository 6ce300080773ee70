import { BlockList, isIP } from "node:net";
import { eventStreamSettings } from "@holdfast/outbox";
import {
  commonSettings,
  durationSetting,
  integerSetting,
  keyRingSetting,
  textSetting,
} from "@holdfast/service-runtime";
import { z } from "zod";

/** Environment variables of the webhook dispatcher. */
export const configSchema = z.object({
  ...commonSettings,
  ...eventStreamSettings,
  /** Encrypts merchants' secrets at rest; the first key is used for new ones. */
  WEBHOOK_SECRET_KEYS: keyRingSetting(),

  /**
   * What passes between the end of a failed attempt and the next one; the last one again and again (spec, Retry
   * policy).
   */
  WEBHOOK_RETRY_SCHEDULE: delaysSetting().prefault("30s,1m,5m,15m,1h,4h,12h,24h"),
  /** From the event on; no scheduled attempt starts after it. */
  WEBHOOK_RETRY_WINDOW: durationSetting().default(48 * 3_600_000),
  /** From the written request to the answer's headers. */
  WEBHOOK_ATTEMPT_TIMEOUT: durationSetting().default(5_000),

  /** Ranges that may be called although they are not public: for tests and private networks. */
  WEBHOOK_ALLOWED_CIDRS: cidrsSetting().prefault(""),
  WEBHOOK_ALLOWED_PORTS: portsSetting().prefault("443,8443"),
  /** PEM of a CA that is trusted beside the public ones. */
  WEBHOOK_CA_FILE: textSetting("must be the path of a PEM file").optional(),
  /** DNS servers to ask instead of the system's, as `ip` or `ip:port`. */
  WEBHOOK_DNS_SERVERS: listSetting().optional(),

  /** Requests under way at once in this process; at most half of them to endpoints that do not answer. */
  WEBHOOK_SENDS_IN_FLIGHT_MAX: integerSetting(2, 10_000).default(512),
  /** How long a process may hold a delivery; lengthened where it is too short for a whole attempt. */
  WEBHOOK_LEASE: durationSetting().default(30_000),
  WEBHOOK_REAP_INTERVAL: durationSetting().default(5_000),
  /** How often due deliveries are looked for when nothing else asks for it. */
  WEBHOOK_CLAIM_INTERVAL: durationSetting().default(250),
  /** How long a rotated secret waits to be activated before it becomes active by itself. */
  WEBHOOK_SECRET_ACTIVATION: durationSetting().default(24 * 3_600_000),
  /** How long an event that was pulled may stay without an answer before the stream gives it to another. */
  WEBHOOK_ACK_WAIT: durationSetting().default(30_000),
  WEBHOOK_EVENT_RETENTION_DAYS: integerSetting(3, 3_650).default(90),
  WEBHOOK_ATTEMPT_RETENTION_DAYS: integerSetting(3, 3_650).default(30),
  /** Commands under way at once; one more is refused as not started. */
  COMMANDS_IN_FLIGHT_MAX: integerSetting(1, 100_000).default(256),
});
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
  return z.string().transform((value) => splitList(value));
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
