#pragma once

namespace jme::report {

/// Layout of a page. Colours come from the theme's variables.
inline constexpr const char* layout_styles = R"(*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}
main{max-width:1128px;margin:0 auto;padding:28px 16px 48px}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .5rem;letter-spacing:-.01em}
h2{font-size:1.3rem;line-height:1.25;margin:2.6rem 0 .4rem}
h3{font-size:1.05rem;margin:1.6rem 0 .3rem}
p,ul{max-width:44rem;margin:.5rem 0}
h1,h2,h3,p,li,td,th,dd,figcaption,summary{overflow-wrap:anywhere}
tbody th{min-width:5.6em}
a{color:var(--link)}
small{display:block;color:var(--soft);font-size:.88em;line-height:1.3}
code{font:.92em ui-monospace,'DejaVu Sans Mono',monospace}
pre{background:var(--panel);border-radius:8px;padding:12px 14px;overflow-x:auto;
font:.85rem/1.45 ui-monospace,'DejaVu Sans Mono',monospace}
.lead{font-size:1.08rem}
.warning{background:var(--alarm-panel);color:var(--alarm);border-left:4px solid;border-radius:4px;
padding:10px 14px;font-weight:600;max-width:none}
nav{margin:1.2rem 0 0;font-size:.95rem}
nav a{display:inline-block;margin:0 1rem .2rem 0;text-decoration-thickness:1px;text-underline-offset:3px}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(136px,1fr));gap:10px;margin:1.3rem 0 0}
.facts div{background:var(--panel);border-radius:8px;padding:10px 14px}
.facts dt{color:var(--soft);font-size:.85rem;line-height:1.3}
.facts dd{margin:0;font-size:1.25rem;font-weight:600;line-height:1.35;font-variant-numeric:tabular-nums}
.facts div{display:flex;flex-direction:column-reverse;justify-content:flex-end}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,var(--least)),1fr));gap:26px 24px;
margin:1rem 0;align-items:start}
figure{margin:0;min-width:0}
.scroll{overflow-x:auto;overscroll-behavior-x:contain}
.chart{display:block;width:100%;height:auto}
figcaption{color:var(--soft);font-size:.88rem;line-height:1.45;margin-top:.25rem;max-width:44rem}
table{border-collapse:collapse;font-size:.93rem;margin:.6rem 0;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding-bottom:.3rem}
th,td{text-align:left;vertical-align:top;padding:5px 14px 5px 0;border-bottom:1px solid var(--grid)}
thead th{color:var(--soft);font-weight:600;font-size:.85rem}
tbody th{font-weight:500}
.number{text-align:right}
td.number,.word{white-space:nowrap}
details{margin:.8rem 0}
summary{cursor:pointer;color:var(--link)}
footer{color:var(--soft);font-size:.88rem;margin-top:3rem;border-top:1px solid var(--grid);padding-top:.8rem}
@media (max-width:480px){table{font-size:.85rem}th,td{padding-right:10px}}
@media (min-width:700px){th,td{padding-right:24px}main{padding:44px 32px 64px}h1{font-size:2.1rem}}
@media print{main{max-width:none;padding:0}nav{display:none}figure,tr{break-inside:avoid}
h2,h3{break-after:avoid}body{font-size:11pt}}
)";

}  // namespace jme::report
