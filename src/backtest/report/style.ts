import { Html } from './html.ts'

/** The page's own style: nothing is loaded from anywhere. */
export const REPORT_STYLE = new Html(`
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --text: #1b2330; --faint: #5c6675; --line: #dfe3e9;
  --confirmed: #16826b; --failed: #d0572f; --pending: #7a6cc8; --open: #8b95a5; --accent: #2257c4 }
@media (prefers-color-scheme: dark) { :root { --page: #12161d; --card: #1b212b; --text: #e6eaf0; --faint: #9aa5b5;
  --line: #303947; --confirmed: #35b394; --failed: #ee7d52; --pending: #9d90ec; --open: #78839a; --accent: #86aefc } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin: 0 0 .35rem; overflow-wrap: anywhere }
h3 { font-size: 1rem; margin: 1.25rem 0 .35rem; overflow-wrap: anywhere }
p { margin: 0 0 .75rem; max-width: 46rem; overflow-wrap: anywhere }
.faint, small, figcaption, .scale, .ticks, th { color: var(--faint) }
small { font-size: .82rem }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.25rem; margin-top: 1.25rem }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .75rem; margin-top: 1rem }
.tile { border: 1px solid var(--line); border-left: 4px solid var(--open); border-radius: 8px; padding: .6rem .8rem; min-width: 0 }
.tile b { display: block; font-size: 1.4rem; line-height: 1.25; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
.tile.confirmed { border-left-color: var(--confirmed) } .tile.failed { border-left-color: var(--failed) }
.tile.pending { border-left-color: var(--pending) } .tile.all { border-left-color: var(--accent) }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1.25rem }
.two > section { margin-top: 0; min-width: 0 } .two { margin-top: 1.25rem }
figure { margin: .75rem 0 0 }
.chart { display: grid; grid-template: 190px auto / auto 1fr; gap: .4rem .5rem }
.scale { display: flex; flex-direction: column; justify-content: space-between; text-align: right; font-size: .78rem; line-height: 1; font-variant-numeric: tabular-nums }
.chart svg { width: 100%; height: 100%; overflow: visible }
.ticks { display: flex; justify-content: space-between; gap: .75rem; font-size: .78rem; grid-column: 2 }
.ticks span:last-child { text-align: right } .ticks span:nth-child(2):not(:last-child) { text-align: center }
figcaption { display: flex; flex-wrap: wrap; gap: .25rem 1rem; font-size: .85rem; margin-top: .5rem }
.key i { display: inline-block; width: .75rem; height: .75rem; border-radius: 3px; margin-right: .4rem; vertical-align: -1px }
.grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke }
rect.confirmed { fill: var(--confirmed) } rect.failed { fill: var(--failed) } rect.pending { fill: var(--pending) } rect.open { fill: var(--open) }
i.confirmed { background: var(--confirmed) } i.failed { background: var(--failed) } i.pending { background: var(--pending) } i.open { background: var(--open) }
.track { fill: var(--line) } .hover { fill: transparent } g:hover .hover { fill: var(--line); opacity: .6 }
.shares { display: grid; grid-template-columns: 1fr auto; gap: .15rem .75rem; margin-top: .75rem }
.shares svg { grid-column: 1 / -1; width: 100%; height: 10px; border-radius: 5px; margin-bottom: .6rem }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; text-align: right }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .92rem }
th { font-weight: 500; text-align: left; font-size: .85rem } td, th { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere }
tr:last-child td { border-bottom: 0 } td.number, th.number { text-align: right } td:last-child, th:last-child { padding-right: 0 }
td.status, th { overflow-wrap: normal } td.status { white-space: nowrap }
td.id { font-weight: 600; min-width: 5rem } td.words { min-width: 9rem } td.by { min-width: 5.5rem }
.nowrap { white-space: nowrap }
details { margin-top: .5rem } summary { cursor: pointer; color: var(--accent) }
pre { overflow-x: auto; background: var(--page); border: 1px solid var(--line); border-radius: 8px; padding: .8rem; font-size: .85rem; line-height: 1.4 }
ul { margin: .25rem 0 0; padding-left: 1.1rem } li { overflow-wrap: anywhere }
@media (max-width: 34rem) { main { padding: 1.5rem .8rem 3rem } section { padding: 1rem .9rem } .chart { grid-template-rows: 160px auto } .tile b { font-size: 1.2rem } .tiles { grid-template-columns: 1fr 1fr }
  table { font-size: .85rem } td, th { padding-right: .5rem } }
@media print { body { background: none } section { break-inside: avoid } }
`)
