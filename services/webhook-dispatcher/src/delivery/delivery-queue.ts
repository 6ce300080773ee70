import { pause } from "@holdfast/service-runtime";
import {
  afterResult,
  capNow,
  keepMax,
  newEndpointHealth,
  releaseAbove,
  type EndpointHealth,
  type SendResult,
} from "./endpoint-health.ts";
import type { LeasedDelivery } from "./leased-delivery.ts";

export type DeliveryQueueOptions = {
  /**
   * The most requests under way. At most half of them go to endpoints whose circuit breaker is open; while so
   * many of their deliveries are queued, nothing more is leased for them.
   */
  inFlightMax: number;
  /**
   * Sends a delivery and records the result; undefined if it was not sent, which says nothing about its
   * endpoint.
   */
  send: (delivery: LeasedDelivery) => Promise<SendResult | undefined>;
  /** Releases deliveries unsent, back to the database. */
  giveBack: (deliveries: LeasedDelivery[]) => void;
  /** A lease with less than this left is released: an attempt has to end before it does. */
  leaseMarginMs: number;
  /** Called with each result, and whether the endpoint's breaker is open after it. */
  onResult: (endpointId: string, result: SendResult, isOpen: boolean) => void;
  /** Called when an endpoint has room again for deliveries that wait in the database. */
  onRoom: (endpointId: string) => void;
};

type Endpoint = {
  health: EndpointHealth;
  maxInFlight: number;
  waiting: LeasedDelivery[];
  /** Requests under way, in the order of their start times, which are the values. */
  underway: Map<LeasedDelivery, number>;
  /** Places that are reserved and not taken yet. */
  reserved: number;
};

/**
 * The deliveries that this process has leased and not finished, by endpoint. Each endpoint has its own queue,
 * its own limit of requests in flight and its own circuit breaker, and they take turns: an endpoint that
 * hangs costs the others only one socket.
 */
export class DeliveryQueue {
  readonly #options: DeliveryQueueOptions;
  readonly #endpoints = new Map<string, Endpoint>();
  /** Endpoints that may have something to send, in the order of their turns. */
  readonly #turns = new Set<string>();
  readonly #underway = new Map<LeasedDelivery, Promise<void>>();
  #kept = 0;
  /**
   * The number of deliveries kept for endpoints with an open circuit breaker: thousands that fail together
   * must not take the places of all others.
   */
  #suspectsKept = 0;
  #suspectsFull = false;
  #suspectsInFlight = 0;
  #draining = false;

  constructor(options: DeliveryQueueOptions) {
    this.#options = options;
  }

  /** Reserves room for one delivery, until it is pushed or given up. */
  reserve(endpointId: string): boolean {
    const endpoint = this.#endpoint(endpointId);
    if (this.totalRoom() === 0 || this.#roomOf(endpoint) === 0) return false;
    endpoint.reserved++;
    this.#keep(endpoint, 1);
    return true;
  }

  giveUp(endpointId: string): void {
    const endpoint = this.#endpoint(endpointId);
    endpoint.reserved--;
    this.#keep(endpoint, -1);
  }

  push(delivery: LeasedDelivery, { reserved } = { reserved: false }): void {
    const { max_in_flight } = delivery.endpoint;
    const endpoint = this.#endpoint(delivery.endpointId, max_in_flight);
    endpoint.maxInFlight = max_in_flight;
    if (reserved) endpoint.reserved--;
    else this.#keep(endpoint, 1);
    if (this.#draining) return this.#giveBack(endpoint, [delivery]);
    endpoint.waiting.push(delivery);
    this.#turns.add(delivery.endpointId);
    this.#pump();
  }

  /** The number of further deliveries that may be leased. */
  totalRoom(): number {
    return this.#draining ? 0 : Math.max(0, KEPT_MAX - this.#kept);
  }

  /** The room of each endpoint that differs from an unknown one's. */
  rooms(): { endpointId: string; room: number }[] {
    return [...this.#endpoints]
      .filter(([, endpoint]) => this.#roomOf(endpoint) < endpoint.maxInFlight || endpoint.underway.size > 0)
      .map(([endpointId, endpoint]) => ({ endpointId, room: this.#roomOf(endpoint) }));
  }

  /** Releases the deliveries that have waited too long for their lease. */
  sweep(): void {
    for (const [endpointId, endpoint] of this.#endpoints) {
      const stale = endpoint.waiting.filter((delivery) => this.#isStale(delivery));
      if (stale.length > 0)
        endpoint.waiting = endpoint.waiting.filter((delivery) => !stale.includes(delivery));
      this.#giveBack(endpoint, stale);
      if (endpoint.waiting.length > 0) this.#turns.add(endpointId);
    }
    this.#pump();
  }

  measure(): { inFlight: number; kept: number; breakersOpen: number } {
    const breakersOpen = [...this.#endpoints.values()].filter(({ health }) => health.open).length;
    return { inFlight: this.#underway.size, kept: this.#kept, breakersOpen };
  }

  /**
   * Starts nothing more, releases the deliveries that have not begun, waits for the others, and releases
   * those at the end of the time.
   */
  async drain(timeoutMs: number): Promise<void> {
    this.#draining = true;
    for (const endpoint of this.#endpoints.values()) this.#giveBack(endpoint, endpoint.waiting.splice(0));
    const ended = Promise.allSettled(this.#underway.values());
    await Promise.race([ended, pause(timeoutMs)]);
    if (this.#underway.size > 0) this.#options.giveBack([...this.#underway.keys()]);
  }

  #endpoint(endpointId: string, maxInFlight = DEFAULT_IN_FLIGHT): Endpoint {
    const known = this.#endpoints.get(endpointId);
    if (known) return known;
    const health = newEndpointHealth(maxInFlight);
    const endpoint = { health, maxInFlight, waiting: [], underway: new Map(), reserved: 0 };
    this.#endpoints.set(endpointId, endpoint);
    if (this.#endpoints.size > REMEMBERED_MAX) forgetIdle(this.#endpoints);
    return endpoint;
  }

  /** Starts the deliveries that may start, one of each endpoint in turn. */
  #pump(): void {
    const { inFlightMax } = this.#options;
    for (const endpointId of this.#draining ? [] : this.#turns) {
      if (this.#underway.size >= inFlightMax) return;
      this.#turns.delete(endpointId);
      const endpoint = this.#endpoints.get(endpointId);
      if (!endpoint || endpoint.underway.size >= capNow(endpoint.health, oldestAge(endpoint))) continue;
      if (endpoint.health.open && this.#suspectsInFlight >= inFlightMax / 2) continue;
      const delivery = endpoint.waiting.shift();
      if (!delivery) continue;
      // A set is iterated in the order of insertion, so this puts the endpoint behind the others.
      this.#turns.add(endpointId);
      if (this.#isStale(delivery)) this.#giveBack(endpoint, [delivery]);
      else this.#underway.set(delivery, this.#send(endpointId, endpoint, delivery));
    }
  }

  async #send(endpointId: string, endpoint: Endpoint, delivery: LeasedDelivery): Promise<void> {
    const suspect = endpoint.health.open;
    endpoint.underway.set(delivery, performance.now());
    if (suspect) this.#suspectsInFlight++;
    const result = await this.#options.send(delivery);
    this.#underway.delete(delivery);
    endpoint.underway.delete(delivery);
    this.#keep(endpoint, -1);
    if (suspect) this.#suspectsInFlight--;
    if (result) {
      this.#learn(endpoint, result);
      this.#options.onResult(endpointId, result, endpoint.health.open);
    }
    // A delivery that would wait long for its turn waits better in the database.
    this.#giveBack(
      endpoint,
      endpoint.waiting.splice(Math.max(0, releaseAbove(endpoint.health) - endpoint.underway.size)),
    );
    this.#turns.add(endpointId);
    this.#pump();
    if (this.#roomOf(endpoint) > 0) this.#options.onRoom(endpointId);
  }

  #learn(endpoint: Endpoint, result: SendResult): void {
    const kept = keptOf(endpoint);
    this.#keep(endpoint, -kept);
    endpoint.health = afterResult(endpoint.health, result, endpoint.maxInFlight);
    this.#keep(endpoint, kept);
  }

  #keep({ health }: Endpoint, more: number): void {
    this.#kept += more;
    if (!health.open) return;
    this.#suspectsKept += more;
    // The freed places are refilled by the hundred, not by one claim each.
    const { inFlightMax } = this.#options;
    if (this.#suspectsKept >= inFlightMax) this.#suspectsFull = true;
    else if (this.#suspectsKept <= SUSPECTS_AGAIN * inFlightMax) this.#suspectsFull = false;
  }

  #roomOf(endpoint: Endpoint): number {
    if (endpoint.health.open && this.#suspectsFull) return 0;
    return Math.max(0, keepMax(endpoint.health) - keptOf(endpoint));
  }

  #giveBack(endpoint: Endpoint, deliveries: LeasedDelivery[]): void {
    this.#keep(endpoint, -deliveries.length);
    if (deliveries.length > 0) this.#options.giveBack(deliveries);
  }

  #isStale({ leasedUntil }: LeasedDelivery): boolean {
    return leasedUntil - performance.now() < this.#options.leaseMarginMs;
  }
}

/** The limit of an unknown endpoint; its own limit comes with its first delivery. */
const DEFAULT_IN_FLIGHT = 8;
/** Most deliveries in memory, and so under lease. */
const KEPT_MAX = 4_000;
/**
 * The share of the kept deliveries for endpoints with an open circuit breaker at which more are leased; it
 * exceeds the half that may be under way.
 */
const SUSPECTS_AGAIN = 0.75;
const REMEMBERED_MAX = 20_000;

function oldestAge({ underway }: Endpoint): number {
  const oldest = underway.values().next();
  return oldest.done ? 0 : performance.now() - oldest.value;
}

function keptOf({ waiting, underway, reserved }: Endpoint): number {
  return waiting.length + underway.size + reserved;
}

function forgetIdle(endpoints: Map<string, Endpoint>): void {
  for (const [endpointId, endpoint] of endpoints) {
    if (keptOf(endpoint) === 0) endpoints.delete(endpointId);
    if (endpoints.size <= REMEMBERED_MAX * 0.9) return;
  }
}
