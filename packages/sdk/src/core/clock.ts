/** Time as a port: live transports hand in the real clock, the simulator its virtual one. */

/** Stops what was scheduled; calling it twice is fine. */
export type Cancel = () => void;

/** A clock. `nowMs` is monotonic, counted from any start. */
export type Clock = {
  nowMs(): number;
  schedule(afterMs: number, action: () => void): Cancel;
};
