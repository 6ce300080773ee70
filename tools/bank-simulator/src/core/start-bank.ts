import type { IncomingMessage, ServerResponse } from "node:http";

import type { z } from "zod";

import { routeAcs, type AcsSession } from "./acs.ts";
import { Bank, type BankOptions, type Timed } from "./bank.ts";
import type { EndedDay } from "./book.ts";
import { routeControls, type NotificationControl } from "./control-api.ts";
import { FaultQueue, type FaultTable } from "./fault-queue.ts";
import { Notifier } from "./notifier.ts";
import { replyJson } from "./reply.ts";
import type { Lateness } from "./serve-call.ts";
import type { BankConfig } from "./settings.ts";
import { SettlementFolder, type SettlementFile } from "./settlement-folder.ts";
import { openOrClose, startSimulatorServer, type Simulator } from "./simulator-server.ts";

/** The parts of a running bank that a protocol's calls use. */
export type Office<Entry extends Timed, Event, Table extends FaultTable, Modes> = Lateness & {
  bank: Bank<Entry, Event>;
  /** Changed by `PUT /modes`. */
  modes: Modes;
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
  /** The modes at the start; they are copied. */
  modes: Modes;
  modesSchema: z.ZodType<Modes>;
  settlement: {
    contentType: string;
    /** Made with the modes of the day's end, or of the start that finds a file missing. */
    filesOf: (day: EndedDay<Entry>, modes: Readonly<Modes>) => SettlementFile[];
  };
  open: (office: Office<Entry, Event, Table, Modes>) => Counter;
};

/** A protocol's own interface. */
export type Counter = {
  /** Serves the protocol's calls. `target` is the method and the path. @returns false where the target is another's */
  route: (
    target: string,
    query: string,
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<boolean>;
  findSession: (id: string) => AcsSession | undefined;
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
  const modes = { ...definition.modes };
  const settlements = new SettlementFolder<Entry>(config.ledgerFile, (day) => filesOf(day, modes));
  const bank = await Bank.open<Entry, Event>({
    ...definition,
    ledgerFile: config.ledgerFile,
    machineNow: config.machineNow,
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
    modesSchema: definition.modesSchema,
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
