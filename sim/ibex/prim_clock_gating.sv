// The core's clock gate, which saves power and changes no cycle: here the clock always runs.
// So mcycle counts during WFI too, and the simulator has one clock only, which is faster.
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
