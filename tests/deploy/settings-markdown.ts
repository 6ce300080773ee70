import { auditSettings, verifyAuditSettings } from "@holdfast/audit";
import { outboxSettings } from "@holdfast/outbox";
import { protocol as simulator } from "@holdfast/bank-simulator/sim";
import { installationSchema, keepStreamSchema } from "@holdfast/installation";
import { migrationSchema } from "@holdfast/postgres";
import { bankTimeSettings, commonSettings } from "@holdfast/service-runtime";
import { operatorTokenSettings, staffTokenSettings } from "@holdfast/operator-token";
import { telemetrySettings } from "@holdfast/telemetry";
import { z } from "zod";
import { configSchema as gateway } from "../../services/api-gateway/src/config.ts";
import { configSchema as payments } from "../../services/payments/src/config.ts";
import { configSchema as refunds } from "../../services/refunds/src/config.ts";
import { configSchema as consoleSettings } from "../../services/console/src/config.ts";
import { configSchema as settlement } from "../../services/settlement/src/config.ts";
import { configSchema as dispatcher } from "../../services/webhook-dispatcher/src/config.ts";

type Settings = Readonly<Record<string, z.core.$ZodType>>;

/** `docs/settings.md`, from the schemas by which programs read their environment. */
export function settingsMarkdown(): string {
  return `# Settings

Every program reads its settings from environment variables, once, when it starts. A missing or malformed setting stops it before it begins anything, with every fault listed. An empty variable counts as not set.

Generated from the programs' zod schemas by \`npm run generate\`; a test compares the two. The settings of \`docker-compose.yml\` itself are in [containers.md](containers.md); \`npm start -- --help\` lists the sandbox's options.

## Forms

- **duration**: a number with its unit, such as \`250ms\`, \`15s\`, \`5m\`, \`48h\` or \`7d\`. A **schedule** is a list of growing durations, such as \`2s,5s,15s\`.
- **key**: 32 random bytes in base64. A **key ring** is \`id:key\` pairs separated by commas: the first key is used for new work, the others are still accepted while keys are rotated. It can be given [wrapped](keys.md#wrapped-rings).
- **pairs**: \`name=value\` separated by commas, percent-encoded.
- A range such as **1 to 200** stands for a whole number.

${SECTIONS.map(sectionText).join("\n\n")}
`;
}

function sectionText({ heading, about, settings }: Section): string {
  return `## ${heading}\n\n${about}\n\n${table(settings)}`;
}

type Section = { heading: string; about: string; settings: Settings };

const tokenSettings: Settings = { ...operatorTokenSettings, ...staffTokenSettings };

const SECTIONS: Section[] = [
  {
    heading: "Every service",
    about:
      "Read by api-gateway, payments, refunds, webhook-dispatcher, settlement and console. The console is not on the bus and reads none of `NATS_*`.",
    settings: own(z.object(commonSettings), telemetrySettings),
  },
  {
    heading: "Telemetry of every service",
    about:
      "OpenTelemetry's own variables, with its names and its units. [telemetry.md](telemetry.md) explains what is measured and sampled.",
    settings: telemetrySettings,
  },
  {
    heading: "The bank's time",
    about: "Read by api-gateway, payments, refunds and console: give all of them the same value.",
    settings: bankTimeSettings,
  },
  {
    heading: "Events",
    about: "Read by payments, refunds and settlement, which publish events from an outbox.",
    settings: outboxSettings,
  },
  {
    heading: "Audit log",
    about:
      "Read by api-gateway (where it has the operator API), payments, refunds, webhook-dispatcher and settlement. [operators.md](operators.md#audit-log) explains what a head proves.",
    settings: auditSettings,
  },
  {
    heading: "Access tokens",
    about:
      "Read by api-gateway (where it has the operator API or the staff API), payments, refunds, webhook-dispatcher and settlement, each of which verifies the token that a command carries: give all of them the same values.",
    settings: tokenSettings,
  },
  {
    heading: "api-gateway",
    about:
      "Also reads the settings of every service and, for operators, of the audit log and of access tokens. It runs as four processes, each with one listener: exactly one of the four ports is set, and what another listener requires may be left out. Each process counts its limits for itself: with n replicas a client can have up to n times as much.",
    settings: own(gateway, commonSettings, bankTimeSettings, auditSettings, tokenSettings),
  },
  {
    heading: "payments",
    about:
      "Also reads the settings of every service, of events and of the audit log, and those of access tokens.",
    settings: own(payments, commonSettings, bankTimeSettings, auditSettings, tokenSettings, outboxSettings),
  },
  {
    heading: "refunds",
    about:
      "Also reads the settings of every service, of events and of the audit log, and those of access tokens.",
    settings: own(refunds, commonSettings, bankTimeSettings, auditSettings, tokenSettings, outboxSettings),
  },
  {
    heading: "webhook-dispatcher",
    about: "Also reads the settings of every service and those of the audit log, and those of access tokens.",
    settings: own(dispatcher, commonSettings, auditSettings, tokenSettings, outboxSettings),
  },
  {
    heading: "settlement",
    about: "Also reads the settings of every service and those of the audit log, and those of access tokens.",
    settings: own(settlement, commonSettings, auditSettings, tokenSettings, outboxSettings),
  },
  {
    heading: "console",
    about: "Also reads the settings of every service, but for those of the bus.",
    settings: own(consoleSettings, commonSettings, bankTimeSettings),
  },
  {
    heading: "Verification of the audit logs",
    about:
      "`holdfast verify-audit`, which a CronJob runs each day. [operators.md](operators.md#audit-log) has its options.",
    settings: verifyAuditSettings,
  },
  {
    heading: "Migrations",
    about: "`holdfast migrate SERVICE`, run once before the service starts.",
    settings: migrationSchema.shape,
  },
  {
    heading: "installation",
    about: "Creates roles, schemas and the event stream, before the migrations.",
    settings: installationSchema.shape,
  },
  {
    heading: "stream-keeper",
    about:
      "`holdfast keep-stream` makes the event stream again when it is gone, for as long as the services run. It takes the installation's settings of the bus, with a user of its own, and of the event stream, the same values.",
    settings: own(keepStreamSchema, installationSchema.shape),
  },
  {
    heading: "acquirer-simulator",
    about: "For development and tests only.",
    settings: simulator.settings.shape,
  },
];

/** The settings that only this service has, or has with another default. */
function own(schema: z.ZodObject, ...shared: Settings[]): Settings {
  return Object.fromEntries(
    Object.entries(schema.shape as Settings).filter(([name, setting]) =>
      shared.every((one) => one[name] !== setting),
    ),
  );
}

function table(settings: Settings): string {
  const rows = Object.entries(settings).map(([name, schema]) => {
    const meaning = z.globalRegistry.get(schema)?.description;
    if (!meaning) throw new Error(`${name} does not say what it means: end its schema with .describe()`);
    const { inner, fallback } = unwrapped(schema);
    const form = formOf(inner);
    return `| \`${name}\` | ${defaultText(fallback, form)} | ${form} | ${meaning.replaceAll("|", "\\|")} |`;
  });
  return ["| setting | default | form | meaning |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

type Fallback = { kind: "required" } | { kind: "none" } | { kind: "value"; value: unknown };

/** The form of a variable, and its value when it is not set. */
function unwrapped(schema: z.core.$ZodType): { inner: z.core.$ZodType; fallback: Fallback } {
  if (schema instanceof z.ZodOptional) {
    return { inner: schema.def.innerType, fallback: { kind: "none" } };
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return { inner: schema.def.innerType, fallback: { kind: "value", value: schema.def.defaultValue } };
  }
  // A value that is turned into another one after its default.
  if (schema instanceof z.ZodPipe) return { inner: schema, fallback: unwrapped(schema.def.in).fallback };
  return { inner: schema, fallback: { kind: "required" } };
}

/** The form that the schema itself names when a variable does not have it. */
function formOf(schema: z.core.$ZodType): string {
  const messages = [undefined, "\u0000"].map(
    (value) => z.safeParse(schema, value).error?.issues[0]?.message ?? "",
  );
  const form = messages.find((message) => message.startsWith("must be "))?.slice("must be ".length) ?? "text";
  return FORMS.reduce((text, [long, short]) => text.replace(long, short), form);
}

/** Forms that the head of the document explains once. */
const FORMS = [
  [/^a duration such as .* or (7d|2m)/, "duration"],
  [/^growing durations separated by commas.*/, "schedule"],
  [/^32 bytes in base64$/, "key"],
  [/^id:key pairs separated by commas.*/, "key ring"],
  [/^name=value pairs separated by commas.*/, "pairs"],
  [/^a whole number from /, ""],
] as const;

function defaultText(fallback: Fallback, form: string): string {
  switch (fallback.kind) {
    case "required":
      return "**required**";
    case "none":
      return "none";
    case "value":
      if (fallback.value === "") return "none";
      return `\`${typeof fallback.value === "number" && form.startsWith("duration") ? durationText(fallback.value) : String(fallback.value)}\``;
    default:
      return fallback satisfies never;
  }
}

/**
 * A duration in the largest unit that leaves a whole number; days from three on, since 24 and 48 hours are
 * written in hours.
 */
function durationText(durationMs: number): string {
  const units = [
    [3 * 86_400_000, 86_400_000, "d"],
    [3_600_000, 3_600_000, "h"],
    [60_000, 60_000, "m"],
    [1_000, 1_000, "s"],
  ] as const;
  const fitting = units.find(([from, unitMs]) => durationMs >= from && durationMs % unitMs === 0);
  return fitting ? `${durationMs / fitting[1]}${fitting[2]}` : `${durationMs}ms`;
}
