/** How the page looks, on screens light and dark and on paper. Colours are told apart by people who see few of them. */
export const STYLE = `
:root { color-scheme: light dark; --paper: light-dark(#f7f7f5, #0e1318); --sheet: light-dark(#ffffff, #161c23); --ink: light-dark(#1b1f24, #e6edf3);
  --soft: light-dark(#57606a, #a3adb9); --rule: light-dark(#dcdfe3, #2d3640); --grid: light-dark(#e9ebee, #262e37);
  --bad: light-dark(#b42318, #ff9a90); --link: light-dark(#0b5cad, #79b8ff);
  --c0: light-dark(#c2410c, #ff9a62); --c1: light-dark(#0b62a3, #6cb6ff); --c2: light-dark(#0f766e, #4fd1b5); --c3: light-dark(#8b3fa8, #d8a1f0);
  --c4: light-dark(#7a5c00, #e3c04b); --c5: light-dark(#4b5768, #a9b6c6); }
:root:has(#theme-light:checked) { color-scheme: light; }
:root:has(#theme-dark:checked) { color-scheme: dark; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
header, main, footer { max-width: 1080px; margin: 0 auto; padding: 0 24px; }
header { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: flex-start; justify-content: space-between; padding-top: 28px; }
h1 { font-size: 26px; line-height: 1.2; margin: 0; letter-spacing: -0.01em; }
h1 small { display: block; font-size: 14px; font-weight: 400; color: var(--soft); letter-spacing: 0; margin-top: 4px; }
h2 { font-size: 19px; line-height: 1.3; margin: 44px 0 4px; letter-spacing: -0.005em; }
h3 { font-size: 15px; line-height: 1.35; margin: 0 0 2px; color: var(--ink); }
p { margin: 0 0 8px; }
.lead, figcaption, .note { color: var(--soft); font-size: 14px; max-width: 76ch; }
.lead { margin-bottom: 14px; } h2 + .sheet, h2 + details { margin-top: 10px; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -999px; } .skip:focus { left: 12px; top: 8px; background: var(--sheet); padding: 6px 12px; z-index: 1; }
.theme { border: 1px solid var(--rule); border-radius: 8px; margin: 0; padding: 2px; display: flex; background: var(--sheet); font-size: 13px; }
.theme legend { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
.theme label { padding: 3px 10px; border-radius: 6px; cursor: pointer; }
.theme input { position: absolute; opacity: 0; width: 1px; height: 1px; }
.theme label:has(:checked) { background: var(--ink); color: var(--sheet); }
.theme label:has(:focus-visible) { outline: 3px solid var(--link); outline-offset: 2px; }
.story { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 290px), 1fr)); gap: 16px; margin-top: 20px; }
.story section, figure, .sheet { background: var(--sheet); border: 1px solid var(--rule); border-radius: 10px; padding: 16px 18px; margin: 0; min-width: 0; }
.story h2 { margin: 0 0 6px; font-size: 13px; font-weight: 600; color: var(--soft); letter-spacing: 0.01em; }
.story p { font-size: 16px; line-height: 1.45; } .story p + p { font-size: 14px; color: var(--soft); } .story p:last-child { margin: 0; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(120px, 1fr)); gap: 12px 20px; margin: 20px 0 0; }
.facts div { border-top: 2px solid var(--rule); padding-top: 6px; }
.facts dt { font-size: 13px; color: var(--soft); } .facts dd { margin: 0; font-size: 22px; line-height: 1.25; font-weight: 600; }
.facts dd small { display: block; font-size: 13px; font-weight: 400; color: var(--soft); }
.alert { border: 1px solid var(--bad); border-left-width: 6px; border-radius: 8px; background: var(--sheet); padding: 12px 16px; margin: 16px 0 0; }
.alert strong { color: var(--bad); } .alert p:last-child { margin: 0; }
.findings { display: grid; gap: 14px; } .findings .sheet p { max-width: 76ch; } .findings .sheet p:last-child { margin: 0; }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: 5px; padding: 0 6px; margin-right: 8px; font-size: 13px; font-weight: 600; color: var(--soft); } .badge.first { color: var(--bad); }
.alert.fine { border-color: var(--c2); } .alert.fine strong { color: var(--c2); }
nav { margin-top: 22px; font-size: 14px; } nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0; padding: 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 16px; }
.plots > .full { grid-column: 1 / -1; }
figure { display: flex; flex-direction: column; gap: 10px; }
svg { display: block; width: 100%; height: auto; max-width: 520px; overflow: visible; }
svg.wide { max-width: 1044px; } .full svg.small, svg.phone { display: none; }
@media (max-width: 860px) { svg.wide { display: none; } .full svg.small { display: block; max-width: 640px; } }
@media (max-width: 480px) { svg.small, .full svg.small { display: none; } svg.phone { display: block; } }
svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; font-variant-numeric: tabular-nums; fill: var(--soft); }
svg .name { fill: var(--ink); } svg .figure { font-size: 13px; font-weight: 600; fill: var(--ink); } svg .small { font-size: 11px; fill: var(--ink); }
svg .label { font-weight: 600; fill: var(--t); paint-order: stroke; stroke: var(--sheet); stroke-width: 3px; stroke-linejoin: round; }
.t0 { --t: var(--c0); } .t1 { --t: var(--c1); } .t2 { --t: var(--c2); } .t3 { --t: var(--c3); } .t4 { --t: var(--c4); } .t5 { --t: var(--c5); }
.grid { stroke: var(--grid); } .base { stroke: var(--soft); }
.curve { fill: none; stroke: var(--t); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.curve.thin { stroke-width: 1.7; } .curve.formula { stroke-width: 1.8; opacity: 0.85; }
.mark { fill: var(--t); stroke: var(--sheet); stroke-width: 1.4; } .mark.half { fill: var(--sheet); stroke: var(--t); stroke-width: 3; } .mark.open { fill: var(--sheet); stroke: var(--t); stroke-width: 1.6; }
.whisker { stroke: var(--t); stroke-width: 1.3; } .whisker.over { stroke: var(--ink); }
.span { stroke: var(--t); stroke-width: 5; opacity: 0.3; } .bar { fill: var(--t); opacity: 0.82; } .fill { fill: var(--t); }
.area { fill: var(--t); opacity: 0.14; } .loop { fill: var(--c0); opacity: 0.1; } .leader { fill: none; stroke: var(--soft); opacity: 0.5; }
.shade { fill: var(--c4); opacity: 0.13; } .event { stroke: var(--t); stroke-dasharray: 3 3; } .event.strong { stroke-dasharray: none; stroke-width: 1.6; }
.measure { stroke: var(--t); stroke-width: 2; } .phase { fill: var(--t); opacity: 0.16; } .phase.odd { opacity: 0.28; }
.lane { fill: var(--grid); } .tick { fill: var(--t); } .veil { fill: var(--sheet); opacity: 0.82; }
details { font-size: 14px; } details.after { margin-top: 14px; } details > .sheet { margin-top: 8px; } summary { cursor: pointer; color: var(--link); width: fit-content; padding: 2px 0; }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: 14px; min-width: min(100%, 420px); overflow-wrap: normal; }
th, td { padding: 5px 16px 5px 0; text-align: right; vertical-align: top; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th { font-weight: 600; color: var(--soft); font-size: 13px; vertical-align: bottom; } tbody th { vertical-align: top; font-weight: 400; color: var(--ink); font-size: 14px; }
.text { text-align: left; } td.text, th.text { white-space: normal; min-width: 9ch; max-width: 60ch; } .never { color: var(--bad); font-weight: 600; }
td code, th code { white-space: nowrap; } code { unicode-bidi: isolate; font: 13px ui-monospace, SFMono-Regular, Menlo, "Liberation Mono", monospace; }
footer { color: var(--soft); font-size: 13px; padding-top: 36px; padding-bottom: 36px; }
@media (max-width: 560px) { header, main, footer { padding-left: 14px; padding-right: 14px; } .story section, figure, .sheet { padding: 12px 12px; } h1 { font-size: 22px; }
  thead th { white-space: normal; } td.text:last-child { min-width: 26ch; } }
@media print { :root { color-scheme: light; } .theme, nav, .skip { display: none; } body { background: none; font-size: 12px; } figure, .story section, .sheet, tr { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; } .scroll { overflow: visible; } header, main, footer { max-width: none; padding: 0; } }
`;
