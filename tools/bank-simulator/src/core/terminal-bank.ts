import type { IncomingMessage, ServerResponse } from "node:http";

import { z } from "zod";

import type { AcsSession } from "./acs.ts";
import type { BankLine } from "./bank-line.ts";
import type { Order, Posting } from "./book.ts";
import type { FaultTable } from "./fault-queue.ts";
import { gateCounter } from "./gate-counter.ts";
import type { merchantTerms } from "./merchant-terms.ts";
import type { BankTraits, Protocol } from "./protocol.ts";
import { Sessions } from "./sessions.ts";
import { bankDefaults, bankSettings, jsonSetting, type BankConfig } from "./settings.ts";
import { startBank, type Office } from "./start-bank.ts";
import { STATEMENT_TYPE, statementFile } from "./statement.ts";
import { ZONE } from "./turkish-time.ts";

/** The settings of a Turkish bank whose merchants have a terminal each. */
export type TerminalConfig<Merchant, Modes> = BankConfig & { merchants: Merchant[]; modes: Modes };

/** The parts that the calls of such a bank use. */
export type TerminalDesk<Entry extends BankLine, Table extends FaultTable, Modes, Merchant, Session> = Office<
  Entry,
  never,
  Table,
  Modes
> & {
  sessions: Sessions<Session>;
  merchants: readonly Merchant[];
  merchantOf: (terminal: string) => Merchant | undefined;
  /** All lines of an order, oldest first. */
  linesOf: (terminal: string, order: string) => readonly Entry[];
};

type Terms = z.output<z.ZodObject<typeof merchantTerms>> & { installmentPayout: "monthly" | "lump_sum" };

/** The parts of such a bank that its protocol defines. */
export type TerminalDefinition<
  Entry extends BankLine,
  Table extends FaultTable,
  Modes extends object,
  Merchant extends { options: Terms },
  Session,
> = {
  faults: Table;
  traits: BankTraits;
  modesSchema: z.ZodObject & z.ZodType<Modes>;
  merchantsSchema: z.ZodType<Merchant[]>;
  /** The fields of a merchant, for the description of its setting. */
  merchantFields: string;
  terminalOf: (merchant: Merchant) => string;
  postingOf: (line: Entry) => Posting | undefined;
  /** The terminal of a line and its order in the book. */
  placeOf: (line: Entry) => readonly [terminal: string, order: string];
  calls: Readonly<
    Record<
      string,
      (
        desk: TerminalDesk<Entry, Table, Modes, Merchant, Session>,
        request: IncomingMessage,
        response: ServerResponse,
      ) => Promise<void>
    >
  >;
  acsOf: (desk: TerminalDesk<Entry, Table, Modes, Merchant, Session>, session: Session) => AcsSession;
  refundInPanel: (
    desk: TerminalDesk<Entry, Table, Modes, Merchant, Session>,
    order: Order<Entry>,
    amountMinor: bigint,
  ) => Promise<boolean>;
};

/** The protocol of a terminal bank. @param prefix the prefix of its environment variables */
export function terminalProtocol<
  Entry extends BankLine,
  const Table extends FaultTable,
  Modes extends object,
  Merchant extends { options: Terms },
  Session,
>(
  prefix: string,
  definition: TerminalDefinition<Entry, Table, Modes, Merchant, Session>,
): Protocol<TerminalConfig<Merchant, Modes>> {
  const { faults, modesSchema, terminalOf, placeOf } = definition;
  const defaults = { ...bankDefaults, latenessMs: LATENESS_MS, merchants: [], modes: modesSchema.parse({}) };
  return {
    ...settingsOf(prefix, definition),
    faults,
    traits: definition.traits,
    start: (options) => {
      const config: TerminalConfig<Merchant, Modes> = { ...defaults, ...options };
      const { merchants, modes } = config;
      const byTerminal = new Map(merchants.map((merchant) => [terminalOf(merchant), merchant]));
      const lines = new Map<string, Entry[]>();
      return startBank<Entry, never, Table, Modes>(config, {
        zone: ZONE,
        postingOf: definition.postingOf,
        onLine: (line) => {
          const key = placeOf(line).join("/");
          const known = lines.get(key);
          if (known) known.push(line);
          else lines.set(key, [line]);
        },
        faults,
        modes,
        modesSchema,
        settlement: {
          contentType: STATEMENT_TYPE,
          filesOf: (day, current, clock) =>
            merchants.map((merchant) => {
              const id = terminalOf(merchant);
              const form = { payout: merchant.options.installmentPayout, modes: current, clock };
              return statementFile(day, { ...merchant.options, id, terminalId: id }, form);
            }),
        },
        open: (office) => {
          const desk = {
            ...office,
            sessions: new Sessions<Session>(),
            merchants,
            merchantOf: (terminal: string) => byTerminal.get(terminal),
            linesOf: (terminal: string, order: string) => lines.get(`${terminal}/${order}`) ?? [],
          };
          return gateCounter(desk, definition.calls, definition.acsOf, definition.refundInPanel);
        },
      });
    },
  };
}

/** Just longer than a gateway's call to its acquirer may take, so that it has given up by then. */
const LATENESS_MS = 17_000;

function settingsOf<Merchant, Modes>(
  prefix: string,
  definition: {
    modesSchema: z.ZodType<Modes>;
    merchantsSchema: z.ZodType<Merchant[]>;
    merchantFields: string;
  },
) {
  const lateness = "How long after its arrival a late answer or a late effect comes.";
  return bankSettings(
    prefix,
    { latenessMs: LATENESS_MS, lateness },
    {
      MERCHANTS: jsonSetting(definition.merchantsSchema).describe(
        `The merchants as JSON: a list of \`{${definition.merchantFields}, options?}\`.`,
      ),
      MODES: jsonSetting(definition.modesSchema)
        .prefault("{}")
        .describe("What differs from the default modes, as JSON. `PUT /modes` changes them later."),
    },
    (common, own): TerminalConfig<Merchant, Modes> => ({
      ...common,
      merchants: own.MERCHANTS,
      modes: own.MODES,
    }),
  );
}
