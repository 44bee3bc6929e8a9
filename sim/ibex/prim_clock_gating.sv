// The core's clock gate, which saves power and changes no cycle: here the clock always runs.
// The simulator has one clock only, which is faster; it skips most of the cycles of a WFI.
module prim_clock_gating (
    input  logic clk_i,
    input  logic en_i,
    input  logic test_en_i,
    output logic clk_o
);
    assign clk_o = clk_i;
    logic unused;
    assign unused = en_i ^ test_en_i;
endmodule
