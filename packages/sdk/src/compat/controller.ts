/** The registry of active faults, with the face of mcp-chaos-monkey; and the way from it to native interceptors. */
import { ToolquakeError } from '../core/errors.js';
import { isGlob } from '../core/match.js';
import { MAX_RULE_ID_LENGTH } from '../core/plan-keys.js';
import { realRandom } from '../core/surroundings.js';
import { parseFaultConfig, ruleOfFaultConfig, type FaultConfig } from '../controller/parse-fault-config.js';
import type { Run } from '../controller/run.js';
import { startPlan } from '../controller/start-plan.js';
import { isFaultTarget, type FaultTarget } from './fault.js';
import { assertChaosAllowed } from './guard.js';
import { loggerFor } from './logger.js';
import { createWaits, type Waits } from './waits.js';

type ActiveFault = {
  readonly target: FaultTarget;
  readonly config: FaultConfig;
  /** By the wall clock; Infinity: until it is cleared. */
  readonly expiresAtMs: number;
  requestCount: number;
  /** The same fault as a rule of the run, where there is one. */
  ruleId: string | undefined;
};

const MAX_FAULTS = 1000;
const log = (): ReturnType<typeof loggerFor> => loggerFor('chaos-controller');

let current: ChaosController | undefined;

/** The controller of this process where somebody asked for it. Without one no fault can be active: one branch. */
export function currentController(): ChaosController | undefined {
  return current;
}

/** See the module comment. There is one per process; `reset` ends it. */
export class ChaosController {
  /** For the interceptors of this layer. */
  readonly waits: Waits = createWaits();
  readonly #faults = new Map<string, ActiveFault>();
  #run: Run | undefined;

  constructor() {
    assertChaosAllowed();
  }

  /** The controller of this process. Throws where the guard refuses. */
  static getInstance(): ChaosController {
    current ??= new ChaosController();
    return current;
  }

  /** Ends the controller of this process: faults are cleared, what hangs goes on, what was patched by its run is put back. */
  static reset(): void {
    const ended = current;
    current = undefined;
    ended?.clearAll();
    ended?.waits.letGo();
    if (ended !== undefined) ended.#run?.stop();
  }

  /** Native interceptors that are attached to this run meet the same faults, by target. It is started when first asked for. */
  get run(): Run {
    if (this.#run === undefined) {
      this.#run = startPlan({ rules: [] }, { isAllowed: () => true });
      for (const [id, fault] of this.#faults) this.#mirror(this.#run, id, fault);
    }
    return this.#run;
  }

  /** Injects a fault, in camelCase or snake_case, for a time or until it is cleared. Returns its id. */
  inject(target: FaultTarget, config: FaultConfig, durationMs?: number): string {
    assertChaosAllowed();
    if (!isFaultTarget(target)) throw new ToolquakeError('WRONG_TYPE', { message: 'target must be a non-empty string.' });
    // Types bind only those who use them.
    const probability = (config as FaultConfig | undefined)?.probability;
    // Written so that NaN, which no comparison holds for, is refused, too.
    if (probability != null && !(probability >= 0 && probability <= 1))
      throw new Error(`probability must be between 0 and 1, got ${String(probability)}`);
    if (durationMs !== undefined && !(Number.isFinite(durationMs) && durationMs >= 0))
      throw new Error('durationMs must be a non-negative finite number');
    const checked = parseFaultConfig(config);
    this.#sweep();
    if (this.#faults.size >= MAX_FAULTS)
      throw new ToolquakeError('TOO_LARGE', {
        message: `Maximum number of active faults (${MAX_FAULTS}) exceeded. Clear some faults first.`,
      });
    if (current !== this) log().warn({ target }, 'This controller is not the one that interceptors ask (was it reset?)');
    const nowMs = Date.now();
    const id = `${target}-${nowMs}-${suffix()}`;
    const expiresAtMs = durationMs === undefined ? Infinity : nowMs + durationMs;
    const fault: ActiveFault = { target, config: checked, expiresAtMs, requestCount: 0, ruleId: undefined };
    this.#faults.set(id, fault);
    if (this.#run !== undefined) this.#mirror(this.#run, id, fault);
    log().warn({ faultId: id, target, faultType: checked.type }, 'Chaos fault injected');
    return id;
  }

  /** False where there is no such fault (any more). */
  clear(faultId: string): boolean {
    this.#sweep();
    const isFound = this.#drop(faultId);
    log().info({ faultId }, isFound ? 'Chaos fault cleared' : 'Chaos fault not found');
    return isFound;
  }

  clearAll(): void {
    for (const id of this.#faults.keys()) this.#drop(id);
    log().info('All chaos faults cleared');
  }

  /**
   * The fault that a call to this target meets now, which counts as a request: the first one that its draw does not spare.
   * An interceptor says what it `performs`; other faults are left for others, and not counted.
   */
  getFault(target: FaultTarget, performs: (config: FaultConfig) => boolean = () => true): FaultConfig | null {
    this.#sweep();
    for (const [faultId, fault] of this.#faults) {
      const { config } = fault;
      if (fault.target !== target) continue;
      if (!performs(config)) {
        log().warn({ faultId, target, faultType: config.type }, 'Chaos fault cannot be performed here');
        continue;
      }
      if (config.probability !== undefined && realRandom() >= config.probability) continue;
      fault.requestCount++;
      return config;
    }
    return null;
  }

  /** The faults that have not expired, with how often each was met. */
  getActiveFaults(): readonly { id: string; target: FaultTarget; type: string; requestCount: number }[] {
    this.#sweep();
    return [...this.#faults].map(([id, { target, config, requestCount, ruleId }]) => {
      const fired = ruleId === undefined ? 0 : (this.#run?.fired(ruleId) ?? 0);
      return { id, target, type: config.type, requestCount: requestCount + fired };
    });
  }

  #drop(id: string): boolean {
    const fault = this.#faults.get(id);
    if (fault?.ruleId !== undefined) this.#run?.clear(fault.ruleId);
    return this.#faults.delete(id);
  }

  /** Expiry is looked at when somebody asks: no timer is left behind. */
  #sweep(): void {
    const nowMs = Date.now();
    for (const [faultId, { expiresAtMs }] of this.#faults) {
      if (nowMs <= expiresAtMs) continue;
      this.#drop(faultId);
      log().info({ faultId }, 'Chaos fault expired');
    }
  }

  #mirror(run: Run, id: string, fault: ActiveFault): void {
    const { target, config, expiresAtMs } = fault;
    const leftMs = expiresAtMs - Date.now();
    // A rule's target is a pattern, so a name that reads as one would match others.
    if (leftMs <= 0 || isGlob(target)) return;
    const isRuleId = id.length <= MAX_RULE_ID_LENGTH && /^[!-~]+$/.test(id);
    try {
      fault.ruleId = run.inject({ ...ruleOfFaultConfig(config, target), ...(isRuleId ? { id } : {}) }, leftMs);
    } catch (error) {
      // What nothing native can perform may be for a client that was wrapped here.
      if (!(error instanceof ToolquakeError)) throw error;
      log().debug({ faultId: id, target, reason: error.message }, 'Chaos fault is not for native interceptors');
    }
  }
}

/** Six characters of base 36. */
function suffix(): string {
  return realRandom().toString(36).slice(2, 8).padEnd(6, '0');
}
