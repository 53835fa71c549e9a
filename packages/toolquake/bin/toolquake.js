#!/usr/bin/env node
import module from 'node:module';

// Node 22 and later keep compiled code between runs, which shortens every start but the first; Node 20 has no such cache.
module.enableCompileCache?.();
await import('../dist/cli.js');
