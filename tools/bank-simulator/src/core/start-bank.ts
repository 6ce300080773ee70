import type { IncomingMessage, ServerResponse } from "node:http";

import type { z } from "zod";

import { routeAcs, type AcsSession } from "./acs.ts";
import { Bank, type BankOptions, type Timed } from "./bank.ts";
import { BankClock, type ShownTimes } from "./bank-clock.ts";
import type { Order } from "./book.ts";
import { routeControls, type NotificationControl } from "./control-api.ts";
import { DayEnds, type ReportedDay } from "./day-ends.ts";
import { FaultQueue, type FaultTable } from "./fault-queue.ts";
import { Notifier } from "./notifier.ts";
import { replyJson } from "./reply.ts";
import type { Lateness } from "./serve-call.ts";
import type { BankConfig } from "./settings.ts";
import { SettlementFolder, type SettlementFile } from "./settlement-folder.ts";
import { openOrClose, startSimulatorServer, type Simulator } from "./simulator-server.ts";
import { kindness, unkindShape, type Unkindness } from "./unkindness.ts";

/** The parts of a running bank that a protocol's calls use. */
export type Office<Entry extends Timed, Event, Table extends FaultTable, Modes> = Lateness & {
  bank: Bank<Entry, Event>;
  /** Changed by `PUT /modes`. */
  modes: Modes & Unkindness;
  faults: FaultQueue<Table>;
  notifier: Notifier;
  /** The URL at which a browser reaches this process: the caller's address, unless another one is configured. */
  publicUrlOf: (request: IncomingMessage) => string;
};

/** The parts of a bank that its protocol defines. */
export type BankDefinition<Entry extends Timed, Event, Table extends FaultTable, Modes extends object> = Pick<
  BankOptions<Entry, Event>,
  "zone" | "postingOf" | "onLine" | "onEvent"
> & {
  faults: Table;
  /** The protocol's own modes at the start; they are copied. */
  modes: Modes;
  modesSchema: z.ZodObject & z.ZodType<Modes>;
  settlement: {
    contentType: string;
    /** Made with the modes of the day's end, or of the start that finds a file missing. */
    filesOf: (
      day: ReportedDay<Entry>,
      modes: Readonly<Modes & Unkindness>,
      clock: ShownTimes,
    ) => SettlementFile[];
  };
  open: (office: Office<Entry, Event, Table, Modes>) => Counter<Entry>;
};

/** A protocol's own interface. */
export type Counter<Entry = never> = {
  /** Serves the protocol's calls. `target` is the method and the path. @returns false if the target is another's */
  route: (
    target: string,
    query: string,
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<boolean>;
  findSession: (id: string) => AcsSession | undefined;
  /** Refunds a part of an order as a person does in the bank's panel. @returns whether the rules of life allowed it */
  refundInPanel: (order: Order<Entry>, amountMinor: bigint) => Promise<boolean>;
  /** Voids a movement of an order in the same way. Absent at a bank that carries nothing out twice. */
  voidInPanel?: (order: Order<Entry>, name: string) => Promise<boolean>;
  notifications?: NotificationControl<unknown>;
};

/**
 * Starts a bank on its own ledger file.
 * @throws LedgerCorruptError when the file is not a ledger
 */
export async function startBank<
  Entry extends Timed,
  Event,
  const Table extends FaultTable,
  Modes extends object,
>(config: BankConfig, definition: BankDefinition<Entry, Event, Table, Modes>): Promise<Simulator> {
  const { contentType, filesOf } = definition.settlement;
  const modes = { ...kindness, ...config.unkindness, ...definition.modes };
  const clock = new BankClock(definition.zone, config.machineNow, modes);
  const dayEnds = new DayEnds<Entry>(modes, clock);
  const settlements = new SettlementFolder<Entry>(config.ledgerFile, (day) =>
    dayEnds.report(day, (reported) => filesOf(reported, modes, clock)),
  );
  const bank = await Bank.open<Entry, Event>({
    ...definition,
    ledgerFile: config.ledgerFile,
    machineNow: config.machineNow,
    modes,
    onDayEnded: (day) => settlements.write(day),
  });
  const stopping = new AbortController();
  const { hangMs, latenessMs } = config;
  const publicUrlOf = ({ headers }: IncomingMessage) =>
    config.publicUrl ?? `http://${headers.host ?? "127.0.0.1"}`;
  const faults = new FaultQueue(definition.faults);
  const notifier = new Notifier(stopping.signal);
  const lateness = { hangMs, latenessMs, stopping: stopping.signal };
  const counter = await openOrClose(bank.files, async () =>
    definition.open({ bank, modes, faults, notifier, publicUrlOf, ...lateness }),
  );
  const controls = {
    bank,
    settlements,
    settlementType: contentType,
    faults,
    modes,
    modesSchema: definition.modesSchema.extend(unkindShape),
    dayEnds,
    refundInPanel: counter.refundInPanel,
    voidInPanel: counter.voidInPanel,
    notifications: counter.notifications,
  };
  const acs = { find: counter.findSession, now: () => bank.clock.now(), publicUrlOf };
  const route = async (request: IncomingMessage, response: ServerResponse) => {
    const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
    const target = `${request.method} ${path}`;
    const isServed =
      (await counter.route(target, query, request, response)) ||
      (await routeControls(controls, target, query, request, response)) ||
      (await routeAcs(acs, target, query, request, response));
    if (!isServed) replyJson(response, 404, { error: "no_such_route" });
  };
  return await startSimulatorServer(bank.files, route, { ...config, stopping });
}
