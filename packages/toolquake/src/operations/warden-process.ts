/** The warden: a detached process that undoes what a run left behind. Started by its file name. */
export {};
